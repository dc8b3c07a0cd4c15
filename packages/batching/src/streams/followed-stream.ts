import type { KeptItem } from './kept-items.ts';
import type { SharedStream } from './shared-stream.ts';
import type { StreamReader } from './stream-coalescer.ts';

/** Reason why a reader is done: it has read the end or an error, it left, or it was too slow. */
export type ReaderEnd = 'end' | 'left' | 'behind';

/** One call of `next()`. */
interface Request<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
}

type ReaderState<K, T> =
  | { readonly kind: 'reading'; readonly stream: SharedStream<K, T>; place: KeptItem<T> }
  /** The next request gets the error. */
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'done' };

/** Reads a shared stream. By hand: `return()` of an async generator waits for a pending `next()`. */
export class FollowedStream<K, T> implements StreamReader<T> {
  #state: ReaderState<K, T>;
  readonly #requests: Request<T>[] = [];
  readonly #onEnd: (end: ReaderEnd) => void;

  /** Joins a stream, or fails with an error. `onEnd` is called once, unless it fails at once. */
  constructor(
    from: { readonly stream: SharedStream<K, T> } | { readonly error: unknown },
    onEnd: (end: ReaderEnd) => void = () => {},
  ) {
    this.#onEnd = onEnd;
    this.#state =
      'stream' in from
        ? { kind: 'reading', stream: from.stream, place: from.stream.join() }
        : { kind: 'failed', error: from.error };
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return new Promise((resolve, reject) => {
      this.#requests.push({ resolve, reject });
      this.serve();
    });
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.#end({ kind: 'done' }, 'left');
    return Promise.resolve({ done: true, value: undefined });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Leaves with an error for the next request. */
  fail(error: unknown): void {
    this.#end({ kind: 'failed', error }, 'left');
  }

  /** Answers requests in their order, as far as the stream goes. */
  serve(): void {
    for (let [request] = this.#requests; request !== undefined; [request] = this.#requests) {
      const state = this.#state;
      if (state.kind === 'reading') {
        const read = state.stream.read(state.place, this);
        if (read.kind === 'waits') return;
        if (read.kind === 'item') {
          state.place = read.item;
          this.#requests.shift();
          request.resolve({ done: false, value: read.item.value as T });
        } else if (read.kind === 'done') this.#end(read, 'end');
        else {
          const { kind, error } = read;
          this.#end({ kind: 'failed', error }, kind === 'behind' ? 'behind' : 'end');
        }
        continue;
      }
      this.#requests.shift();
      this.#state = { kind: 'done' };
      if (state.kind === 'failed') request.reject(state.error);
      else request.resolve({ done: true, value: undefined });
    }
  }

  #end(state: ReaderState<K, T>, end: ReaderEnd): void {
    const before = this.#state;
    if (before.kind === 'reading') {
      this.#state = state;
      before.stream.leave(this);
      this.#onEnd(end);
      this.serve();
    } else if (state.kind === 'done') this.#state = state;
  }
}
