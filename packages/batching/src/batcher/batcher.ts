import type { Clock } from '@ticketing/kit';
import type { KeyValue } from '../canonical-key.ts';

/** The second argument of a batch loader. */
export interface BatchContext {
  /** Aborts when every caller of the batch has left, at `loadTimeoutMs`, and on `close()`. Created when it is first read. */
  readonly signal: AbortSignal;
}

/** One result per key in the order of the keys, or a map by key. An Error fails its key alone. */
export type BatchResult<K, V> = readonly (V | Error)[] | ReadonlyMap<K, V | Error>;

/** Options of `createBatcher`. */
export interface BatcherOptions<K, V> {
  /** Name of the batcher in errors and diagnostics. Default: the name of the loader, or `batcher`. */
  readonly name?: string | undefined;
  /** Returns what a key is compared by: equal keys of a batch are loaded once. Required for objects. Default: the key itself. */
  readonly key?: ((key: K) => KeyValue) | undefined;
  /** `true` states that the keys of a batch differ: they are not compared, unless there is a cache. Default `false`. */
  readonly distinct?: boolean | undefined;
  /** Most different keys in a batch, 1 to Infinity. Default 1,000. */
  readonly maxBatchSize?: number | undefined;
  /** Milliseconds that a key waits for others, 0 to 2^31-1, instead of `schedule`; a full batch is sent at once. Default 0: `schedule` decides. */
  readonly maxWaitMs?: number | undefined;
  /** Moment at which a batch is sent: after the promise jobs of this tick, after this microtask, or when a function calls back. Default `tick`. */
  readonly schedule?: 'tick' | 'microtask' | ((dispatch: () => void) => void) | undefined;
  /** Most batches under way, 1 to Infinity; further ones wait, and take keys until they are full. Default: no limit. */
  readonly concurrency?: number | undefined;
  /** Most keys that wait, 1 to Infinity; above it `ERR_TOO_MANY_KEYS`. Default 100,000. */
  readonly maxQueued?: number | undefined;
  /** Milliseconds that a batch may take, 1 to 2^31-1; then `ERR_BATCH_TIMEOUT`. Default: no limit. */
  readonly loadTimeoutMs?: number | undefined;
  /** The outcome of a key that the loader's map lacks: `ERR_KEY_MISSING`, or `undefined`. Default `error`. */
  readonly missing?: 'error' | 'undefined' | undefined;
  /** Keeps values, but not failures, until they are cleared: in a Map (`true`), or in the caller's own. Default `false`. */
  readonly cache?: boolean | BatchCache<V> | undefined;
  /** Default: the platform's. */
  readonly clock?: Clock | undefined;
}

/** Store of results: a subset of Map. */
export interface BatchCache<V> {
  get(key: KeyValue): Promise<V> | undefined;
  set(key: KeyValue, value: Promise<V>): unknown;
  delete(key: KeyValue): unknown;
  clear(): unknown;
}

/** Options of one call. */
export interface LoadOptions {
  /** Ends this call as it aborts, with its reason. A key without callers is removed from its batch, if that is not sent yet. */
  readonly signal?: AbortSignal | undefined;
}

/** Counters since the start, and what is held now. */
export interface BatcherStats {
  readonly name: string;
  /** Calls of `load`, and keys of `loadMany`. */
  readonly asked: number;
  /** Batches sent. */
  readonly batches: number;
  /** Different keys sent in them. */
  readonly loaded: number;
  /** Calls that shared another call's key before its batch was sent. */
  readonly joined: number;
  /** Calls answered by the cache, whether in flight or settled. */
  readonly hits: number;
  /** Keys that were sent and failed. */
  readonly failed: number;
  /** Callers that left by their signal. */
  readonly left: number;
  /** Calls above `maxQueued`. */
  readonly overflowed: number;
  /** Keys that wait. */
  readonly queued: number;
  /** Keys under way. */
  readonly inFlight: number;
}

/** Loads many keys by one call. */
export interface Batcher<K, V> extends AsyncDisposable {
  /**
   * Loads a key with the next batch. Equal keys of a batch share one promise, unless a caller has a signal. Keys are
   * in the order of the calls; those whose first caller has a signal come last.
   *
   * @throws BatchingError, the key's own Error, the loader's error, or the signal's reason, as a rejection
   * @throws TypeError as a rejection for an object as key without option `key`, and for unknown options
   */
  load(key: K, options?: LoadOptions): Promise<V>;
  /** Loads many keys. Resolves with their outcomes in the order of the keys; rejects only with a TypeError, for `keys` that is no array. */
  loadMany(keys: readonly K[], options?: LoadOptions): Promise<PromiseSettledResult<V>[]>;
  /** Keeps a value from elsewhere, and returns whether it did: not if the key is known, or without `cache`. */
  prime(key: K, value: V | Error): boolean;
  /** Forgets a kept key, and returns whether there was one. Its callers still get their answer. */
  forget(key: K): boolean;
  /** Forgets all kept keys. */
  clear(): void;
  /** Sends the keys that wait, as far as `concurrency` allows. */
  flush(): void;
  stats(): BatcherStats;
  /**
   * Refuses further calls and rejects calls that wait, with `ERR_CLOSED`. Aborts the signals of batches under way,
   * whose callers get the loader's outcome. Does not wait for them. Idempotent.
   */
  close(): Promise<void>;
}
