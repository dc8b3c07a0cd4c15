import type { Clock } from '@ticketing/kit';
import type { KeyValue } from '../canonical-key.ts';

/** The second argument of the function that opens a stream. */
export interface StreamContext<K> {
  readonly key: K;
  /** Aborts when the last reader leaves before the end, and on `close()`. Created when it is first read. */
  readonly signal: AbortSignal;
  /** Readers that have not left. */
  readonly readers: number;
}

/** Opens the source of a key: a generator, a `Readable`, a `ReadableStream`, or a promise of one. */
export type OpenStream<K, T> = (
  key: K,
  context: StreamContext<K>,
) => AsyncIterable<T> | PromiseLike<AsyncIterable<T>>;

/** Options of `createStreamCoalescer`. */
export interface StreamCoalescerOptions<K, T> {
  /** Name of the coalescer in errors and diagnostics. Default: the name of `open`, or `streams`. */
  readonly name?: string | undefined;
  /** Returns what a key is compared by. Required for keys that are objects. Default: the key itself. */
  readonly key?: ((key: K) => KeyValue) | undefined;
  /** Most items that are kept of a stream. Default 10,000. */
  readonly maxItems?: number | undefined;
  /** Most bytes that are kept of a stream, the newest item not counted. Default 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** Returns the bytes of an item. Default: the length of text and of binary data, 0 for all else. */
  readonly bytesOf?: ((item: NoInfer<T>) => number) | undefined;
  /** Most streams in flight: one per key, and each that no call joins. Default 10,000. */
  readonly maxKeys?: number | undefined;
  /** Most readers of one stream. Default 100,000. */
  readonly maxReadersPerKey?: number | undefined;
  /** Outcome of a call above `maxKeys` or `maxReadersPerKey`: `ERR_TOO_MANY_…`, or a stream of its own that no call joins. Default `reject`. */
  readonly overflow?: 'reject' | 'bypass' | undefined;
  /** The AsyncLocalStorage that the source sees: that of the coalescer's creation, or that of the first caller. Default `detached`. */
  readonly context?: 'detached' | 'caller' | undefined;
  /** Measures streams for diagnostics. Default: the platform's. */
  readonly clock?: Clock | undefined;
}

/** Options of one call. */
export interface FollowOptions {
  /** Makes this reader leave as it aborts: its `next()` rejects with the reason; the others go on. */
  readonly signal?: AbortSignal | undefined;
}

/** One caller's way through a stream. Calls of `next()` need not wait for each other. */
export interface StreamReader<T> extends AsyncIterableIterator<T, undefined>, AsyncDisposable {
  /**
   * Resolves with the next item. An error is thrown once, after the items before it; the reader is done then.
   *
   * @throws BatchingError, the source's error, or the signal's reason, as a rejection
   */
  next(): Promise<IteratorResult<T, undefined>>;
  /** Leaves at once, also while a `next()` is pending, which then is done. Idempotent. */
  return(): Promise<IteratorResult<T, undefined>>;
  [Symbol.asyncIterator](): StreamReader<T>;
}

/** Counters since the start, and what is held now. */
export interface StreamCoalescerStats {
  readonly name: string;
  /** Calls of `follow`. */
  readonly asked: number;
  /** Streams opened, bypasses included. */
  readonly opened: number;
  /** Calls that joined a stream in flight. */
  readonly joined: number;
  /** Streams whose source failed. */
  readonly failed: number;
  /** Readers that left before the end. */
  readonly left: number;
  /** Readers that failed because they were behind the bounds. */
  readonly behind: number;
  /** Streams aborted because the last reader had left, or by `close()`. */
  readonly aborted: number;
  /** Calls above `maxKeys` or `maxReadersPerKey`. */
  readonly overflowed: number;
  /** Streams that outgrew `maxItems` or `maxBytes`. */
  readonly outgrown: number;
  /** Streams whose source has not ended. */
  readonly inFlight: number;
  /** Streams in flight that no call joins: of forgotten keys, outgrown, or above a bound. */
  readonly unshared: number;
  /** Readers that have not left, and have not read the end. */
  readonly readers: number;
}

/** Lets equal streams in flight share one source. */
export interface StreamCoalescer<K, T> extends AsyncDisposable {
  /**
   * Returns a reader of the stream of a key, from its first item on: of the one in flight, or of a new one, whose source is
   * opened at once. Its caller must read to the end or call `return()`, as `for await` does.
   *
   * The source is read as it comes, up to half of `maxItems` or `maxBytes` ahead of the fastest reader, for which it then
   * waits. A new item displaces the oldest that the fastest has read if more would be kept than `maxItems` or `maxBytes`: no
   * call joins the stream from then on, and a reader that needs a displaced item fails with `ERR_READER_BEHIND`.
   *
   * @throws TypeError for an unknown option, and for an object as key without option `key`
   */
  follow(key: K, options?: FollowOptions): StreamReader<T>;
  /** Forgets a key: the next call opens a new stream. Readers of the old one go on. Returns whether there was one. */
  forget(key: K): boolean;
  /**
   * Returns whether `follow` of this key would join a stream in flight.
   *
   * @throws TypeError for an object as key without option `key`
   */
  has(key: K): boolean;
  stats(): StreamCoalescerStats;
  /**
   * Refuses further calls, aborts the signals of all streams in flight with `ERR_CLOSED`, and ends their sources. Readers get
   * the items that came, then that error. Idempotent.
   */
  close(): Promise<void>;
}
