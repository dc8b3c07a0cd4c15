import type { StreamTrace } from '../batching-messages.ts';
import type { KeyValue } from '../canonical-key.ts';
import { callError } from '../errors.ts';
import { type KeptItem, KeptItems } from './kept-items.ts';
import type { OpenStream, StreamContext } from './stream-coalescer.ts';
import type { ResolvedStreamOptions } from './stream-coalescer-options.ts';

/** End of a stream. */
export type StreamEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed' | 'aborted'; readonly error: unknown };

/** Answer to a reader at its place. */
export type ReadResult<T> =
  | { readonly kind: 'item'; readonly item: KeptItem<T> }
  | { readonly kind: 'waits' }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed' | 'behind'; readonly error: unknown };

/** A reader that waits for the next item, or for the end. */
export interface WaitingReader {
  serve(): void;
}

/** Calls of a stream to its coalescer. */
export interface StreamEvents<K, T> {
  /** Called once. */
  ended(stream: SharedStream<K, T>, end: StreamEnd): void;
  /** Called once, as the first item is displaced. */
  outgrown(stream: SharedStream<K, T>): void;
}

/** One source, and what its readers have in common. Sources see it as `StreamContext`. */
export class SharedStream<K, T> implements StreamContext<K> {
  readonly key: K;
  readonly id: KeyValue;
  readonly startedAt: number;
  /** Present if somebody subscribed when it started. */
  readonly trace: StreamTrace | undefined;
  readonly #options: ResolvedStreamOptions<K, T>;
  readonly #events: StreamEvents<K, T>;
  readonly #kept: KeptItems<T>;
  readonly #waiting = new Set<WaitingReader>();
  #readers = 0;
  #isOpening = true;
  #end: StreamEnd | undefined;
  #source: AsyncIterator<T> | undefined;
  #controller: AbortController | undefined;
  /** Lets the source be read on. */
  #demand: (() => void) | undefined;

  constructor(
    { key, id, trace }: Pick<SharedStream<K, T>, 'key' | 'id' | 'trace'>,
    options: ResolvedStreamOptions<K, T>,
    events: StreamEvents<K, T>,
  ) {
    this.key = key;
    this.id = id;
    this.trace = trace;
    this.startedAt = options.clock.now();
    this.#options = options;
    this.#events = events;
    this.#kept = new KeptItems(options);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  get readers(): number {
    return this.#readers;
  }

  /** Items that came. */
  get items(): number {
    return this.#kept.count;
  }

  /** True while the first synchronous steps of `open` run. */
  get isOpening(): boolean {
    return this.#isOpening;
  }

  /** Opens the source at once, and reads it to its end. Never rejects. */
  async run(open: OpenStream<K, T>): Promise<void> {
    try {
      const opened = this.#open(open);
      // A source that is there is read at once, inside the call of its first reader.
      const source = iteratorOf(isAsyncIterable(opened) ? opened : await opened, this.#options);
      if (this.#end !== undefined) return void endSource(source);
      this.#source = source;
      for (;;) {
        await this.#demanded();
        if (this.#end !== undefined) return;
        const { done, value } = await source.next();
        if (this.#end !== undefined) return;
        if (done) return this.#finish({ kind: 'done' });
        this.#keep(value);
      }
    } catch (error) {
      this.#finish({ kind: 'failed', error });
    }
  }

  /** Adds a reader. Returns its place, before the first item. */
  join(): KeptItem<T> {
    this.#readers += 1;
    return this.#kept.start();
  }

  /** Removes a reader, which waits no longer. The last one ends the source. */
  leave(reader: WaitingReader): void {
    this.#waiting.delete(reader);
    this.#readers -= 1;
    if (this.#readers > 0 || this.#end !== undefined) return;
    const { name } = this.#options;
    const message = `Stream of \`${name}\` was aborted: no reader is left`;
    this.abort(callError(name, 'ERR_ABORTED', message, { key: this.key }));
  }

  /** Reads what comes after a place. A reader that must wait is served when there is more. */
  read(place: KeptItem<T>, reader: WaitingReader): ReadResult<T> {
    if (this.#kept.isBehind(place)) return { kind: 'behind', error: this.#behindError() };
    const item = this.#kept.readAfter(place);
    if (item !== undefined) {
      if (!this.#kept.isAhead) this.#demand?.();
      return { kind: 'item', item };
    }
    if (this.#end === undefined) {
      this.#waiting.add(reader);
      return { kind: 'waits' };
    }
    return this.#end.kind === 'done' ? this.#end : { kind: 'failed', error: this.#end.error };
  }

  /** Ends the stream and its source, also one that ignores the signal. */
  abort(error: unknown, kind: 'aborted' | 'failed' = 'aborted'): void {
    this.#finish({ kind, error });
    // Also aborts a signal that is first read later.
    this.#controller ??= new AbortController();
    this.#controller.abort(error);
    if (this.#source !== undefined) void endSource(this.#source);
  }

  #open(open: OpenStream<K, T>): ReturnType<OpenStream<K, T>> {
    try {
      return open(this.key, this);
    } finally {
      this.#isOpening = false;
    }
  }

  /** Waits while enough is kept for the fastest reader. */
  async #demanded(): Promise<void> {
    if (!this.#kept.isAhead) return;
    await new Promise<void>((resolve) => {
      this.#demand = resolve;
    });
    this.#demand = undefined;
  }

  #keep(value: T): void {
    let bytes: number;
    try {
      bytes = this.#bytesOf(value);
    } catch (error) {
      this.abort(error, 'failed');
      return;
    }
    const wasOutgrown = this.#kept.isOutgrown;
    this.#kept.push(value, bytes);
    if (!wasOutgrown && this.#kept.isOutgrown) this.#events.outgrown(this);
    this.#wake();
  }

  /** @throws what option `bytesOf` throws, and TypeError if that returns no size */
  #bytesOf(value: T): number {
    const bytes: unknown = this.#options.bytesOf(value);
    if (typeof bytes === 'number' && bytes >= 0 && bytes < Number.POSITIVE_INFINITY) return bytes;
    const got = typeof bytes === 'number' ? bytes : typeof bytes;
    const { name } = this.#options;
    throw new TypeError(
      `Cannot keep an item of \`${name}\`: option \`bytesOf\` must return a number of 0 or more, got ${got}`,
    );
  }

  #finish(end: StreamEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#events.ended(this, end);
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const reader of waiting) reader.serve();
  }

  #behindError(): Error {
    const { name, maxItems, maxBytes } = this.#options;
    const message = `Reader of \`${name}\` is too slow: an item that it has not read was displaced at \`maxItems\` (${maxItems}) or \`maxBytes\` (${maxBytes})`;
    return callError(name, 'ERR_READER_BEHIND', message, { key: this.key });
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<never> {
  const iterable = Object(value) as Partial<AsyncIterable<unknown>>;
  return typeof iterable[Symbol.asyncIterator] === 'function';
}

/** @throws TypeError for what is not iterable */
function iteratorOf<T>(
  source: AsyncIterable<T>,
  { name }: { readonly name: string },
): AsyncIterator<T> {
  if (isAsyncIterable(source)) return source[Symbol.asyncIterator]();
  const got = source === null ? 'null' : typeof source;
  throw new TypeError(
    `Cannot open stream of \`${name}\`: \`open\` must return an async iterable, got ${got}`,
  );
}

/** Lets a source clean up. Its failure has no reader. */
async function endSource(source: AsyncIterator<unknown>): Promise<void> {
  try {
    await source.return?.();
  } catch {}
}
