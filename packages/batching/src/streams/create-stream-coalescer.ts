import { AsyncResource } from 'node:async_hooks';
import { aFunction, createSignalListeners, wrongOption } from '@ticketing/kit';
import type { StreamTrace } from '../batching-messages.ts';
import { isPrimitive, type KeyValue, objectKeyError } from '../canonical-key.ts';
import { callError } from '../errors.ts';
import { inThisContext, publishEnd } from '../traces.ts';
import { FollowedStream, type ReaderEnd } from './followed-stream.ts';
import { SharedStream, type StreamEnd, type StreamEvents } from './shared-stream.ts';
import type {
  FollowOptions,
  OpenStream,
  StreamCoalescer,
  StreamCoalescerOptions,
  StreamCoalescerStats,
  StreamReader,
} from './stream-coalescer.ts';
import {
  checkFollowOptions,
  type ResolvedStreamOptions,
  resolveStreamOptions,
} from './stream-coalescer-options.ts';
import {
  streamChannel,
  streamEndChannel,
  streamJoinChannel,
  streamOverflowChannel,
} from './stream-traces.ts';

/**
 * Creates a coalescer of streams: equal keys in flight share one source, which `open` makes at once, inside the call of
 * `follow`. Each reader gets every item from the first on; the last one that leaves ends the source.
 * Diagnostics channels: `ticketing:batching:stream`, `{ name, key, ms, items, error? }` as each stream ends; the tracing channel
 * of the same name, inside whose bound stores the source runs; `ticketing:batching:stream-join`, `…:stream-overflow`.
 *
 * @throws TypeError or RangeError for `open` that is no function, and for options that are unknown or out of range
 * @example
 * const prices = createStreamCoalescer((day: string, { signal }) => priceEvents(day, signal), { name: 'prices' });
 * for await (const price of prices.follow('2030-05-01')) show(price);
 */
export function createStreamCoalescer<K, T>(
  open: OpenStream<K, T>,
  options: StreamCoalescerOptions<K, T> = {},
): StreamCoalescer<K, T> {
  if (typeof open !== 'function') {
    throw wrongOption('create stream coalescer', 'open', aFunction, open);
  }
  return new KeyedStreams(open, resolveStreamOptions(options, open.name || 'streams'));
}

class KeyedStreams<K, T> implements StreamCoalescer<K, T> {
  readonly #open: OpenStream<K, T>;
  readonly #options: ResolvedStreamOptions<K, T>;
  /** Streams in flight that calls join. */
  readonly #streams = new Map<KeyValue, SharedStream<K, T>>();
  /** Streams in flight whose key was forgotten, or that outgrew a bound. No call joins them. */
  readonly #detached = new Set<SharedStream<K, T>>();
  /** Streams in flight that were opened above a bound. */
  readonly #bypassing = new Set<SharedStream<K, T>>();
  readonly #signals = createSignalListeners();
  readonly #scope: AsyncResource | undefined;
  readonly #events: StreamEvents<K, T>;
  readonly #counts = {
    asked: 0,
    opened: 0,
    joined: 0,
    failed: 0,
    left: 0,
    behind: 0,
    aborted: 0,
    overflowed: 0,
    outgrown: 0,
    readers: 0,
  };
  #closed = false;

  constructor(open: OpenStream<K, T>, options: ResolvedStreamOptions<K, T>) {
    this.#open = open;
    this.#options = options;
    if (options.context === 'detached') {
      this.#scope = new AsyncResource('ticketing.stream-coalescer');
    }
    this.#events = {
      ended: (stream, end) => this.#ended(stream, end),
      outgrown: (stream) => {
        this.#counts.outgrown += 1;
        this.#detach(stream);
      },
    };
  }

  follow(key: K, options: FollowOptions = {}): StreamReader<T> {
    checkFollowOptions(options);
    const id = this.#idOf(key);
    const { signal } = options;
    this.#counts.asked += 1;
    if (signal?.aborted) {
      this.#counts.left += 1;
      return new FollowedStream<K, T>({ error: signal.reason });
    }
    try {
      const known = this.#streams.get(id);
      if (known === undefined) return this.#start(key, id, signal);
      if (known.isOpening) throw this.#reentrantError(key);
      const { maxReadersPerKey } = this.#options;
      if (known.readers >= maxReadersPerKey) {
        this.#overflow(key, 'ERR_TOO_MANY_READERS', maxReadersPerKey);
        return this.#start(key, id, signal);
      }
      this.#counts.joined += 1;
      const reader = this.#read(known, signal);
      if (known.trace !== undefined && streamJoinChannel.hasSubscribers) {
        const { name, streamId } = known.trace;
        streamJoinChannel.publish({ name, key, streamId, readers: known.readers });
      }
      return reader;
    } catch (error) {
      return new FollowedStream<K, T>({ error });
    }
  }

  forget(key: K): boolean {
    const stream = this.#streams.get(this.#idOf(key));
    return stream !== undefined && this.#detach(stream);
  }

  has(key: K): boolean {
    const stream = this.#streams.get(this.#idOf(key));
    if (stream === undefined || stream.isOpening) return false;
    return stream.readers < this.#options.maxReadersPerKey;
  }

  stats(): StreamCoalescerStats {
    const unshared = this.#detached.size + this.#bypassing.size;
    const inFlight = this.#streams.size + unshared;
    return { name: this.#options.name, ...this.#counts, inFlight, unshared };
  }

  close(): Promise<void> {
    if (!this.#closed) this.#scope?.emitDestroy();
    this.#closed = true;
    for (const stream of [...this.#streams.values(), ...this.#detached, ...this.#bypassing]) {
      stream.abort(this.#closedError());
    }
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #idOf(key: K): KeyValue {
    const { name, key: keyOf } = this.#options;
    const id: unknown = keyOf === undefined ? key : keyOf(key);
    if (!isPrimitive(id)) throw objectKeyError(`follow a stream of \`${name}\``, keyOf);
    return id;
  }

  /** Opens a stream: that of the key, unless there is one or a bound is reached. */
  #start(key: K, id: KeyValue, signal: AbortSignal | undefined): StreamReader<T> {
    if (this.#closed) throw this.#closedError();
    const { maxKeys } = this.#options;
    const isFull = this.#streams.size + this.#detached.size >= maxKeys;
    const isApart = this.#streams.has(id);
    if (isFull && !isApart) this.#overflow(key, 'ERR_TOO_MANY_KEYS', maxKeys);
    const isShared = !isFull && !isApart;
    const trace = this.#traceOf(key, isShared ? 'call' : 'overflow');
    const stream = new SharedStream<K, T>({ key, id, trace }, this.#options, this.#events);
    if (isShared) this.#streams.set(id, stream);
    else this.#bypassing.add(stream);
    this.#counts.opened += 1;
    const reader = this.#read(stream, signal);
    const run = (): void => this.#run(stream);
    if (this.#scope === undefined) run();
    else this.#scope.runInAsyncScope(run);
    return reader;
  }

  #run(stream: SharedStream<K, T>): void {
    const { trace } = stream;
    if (trace === undefined) return void stream.run(this.#open);
    try {
      streamChannel.start.runStores(trace, () => void stream.run(this.#open));
    } finally {
      streamChannel.end.publish(trace);
    }
  }

  #traceOf(key: K, cause: StreamTrace['cause']): StreamTrace | undefined {
    if (!streamChannel.hasSubscribers && !streamJoinChannel.hasSubscribers) return undefined;
    const { name } = this.#options;
    return { name, key, streamId: crypto.randomUUID(), cause, inCaller: inThisContext() };
  }

  #read(stream: SharedStream<K, T>, signal: AbortSignal | undefined): StreamReader<T> {
    const onEnd = (end: ReaderEnd): void => {
      if (signal !== undefined) this.#signals.remove(signal, waiter);
      this.#counts.readers -= 1;
      if (end !== 'end') this.#counts[end] += 1;
    };
    const reader = new FollowedStream<K, T>({ stream }, onEnd);
    const waiter = { aborted: (reason: unknown) => reader.fail(reason) };
    this.#counts.readers += 1;
    if (signal !== undefined) this.#signals.add(signal, waiter);
    return reader;
  }

  /** Notes a call above a bound. @throws BatchingError unless it gets a stream of its own */
  #overflow(key: K, code: 'ERR_TOO_MANY_KEYS' | 'ERR_TOO_MANY_READERS', limit: number): void {
    const { name, overflow } = this.#options;
    this.#counts.overflowed += 1;
    if (streamOverflowChannel.hasSubscribers) streamOverflowChannel.publish({ name, key, code });
    if (overflow === 'bypass') return;
    const [option, what] =
      code === 'ERR_TOO_MANY_KEYS'
        ? ['maxKeys', 'streams are in flight']
        : ['maxReadersPerKey', 'readers follow the key'];
    const message = `Stream coalescer \`${name}\` is full: \`${option}\` (${limit}) ${what}`;
    throw callError(name, code, message, { key, limit });
  }

  /** Lets no further call join a stream. Returns whether calls could. */
  #detach(stream: SharedStream<K, T>): boolean {
    if (this.#streams.get(stream.id) !== stream) return false;
    this.#detached.add(stream);
    return this.#streams.delete(stream.id);
  }

  #ended(stream: SharedStream<K, T>, end: StreamEnd): void {
    if (this.#streams.get(stream.id) === stream) this.#streams.delete(stream.id);
    else if (!this.#detached.delete(stream)) this.#bypassing.delete(stream);
    if (end.kind !== 'done') this.#counts[end.kind] += 1;
    const { items, key, startedAt, trace } = stream;
    const outcome = end.kind === 'done' ? {} : { error: end.error };
    if (trace !== undefined) publishEnd(streamChannel, Object.assign(trace, { items }, outcome));
    if (!streamEndChannel.hasSubscribers) return;
    const { name, clock } = this.#options;
    streamEndChannel.publish({ name, key, ms: clock.now() - startedAt, items, ...outcome });
  }

  #reentrantError(key: K): Error {
    const { name } = this.#options;
    const message = `Cannot follow a stream of \`${name}\`: its source asked for the key that it is opening`;
    return callError(name, 'ERR_REENTRANT', message, { key });
  }

  #closedError(): Error {
    const { name } = this.#options;
    const message = `Cannot follow a stream of \`${name}\`: the coalescer is closed`;
    return callError(name, 'ERR_CLOSED', message);
  }
}
