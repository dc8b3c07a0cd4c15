import type { Clock } from '@ticketing/kit';
import type { KeyValue } from '../canonical-key.ts';

/** What a batch loader learns of its call. */
export interface BatchContext {
  /** Aborts when every caller of the batch has left, at `loadTimeoutMs`, and on `close()`. Made when it is first read. */
  readonly signal: AbortSignal;
}

/** One result a key in the order of the keys, or a map by key; an Error fails its key alone. */
export type BatchResult<K, V> = readonly (V | Error)[] | ReadonlyMap<K, V | Error>;

/** Options of `createBatcher`. */
export interface BatcherOptions<K, V> {
  /** Names it in errors and diagnostics. */
  readonly name: string;
  /** What a key is recognised by: equal keys of one batch are loaded once. Default: the key itself; objects are refused. */
  readonly key?: (key: K) => KeyValue;
  /** `true`: the caller states that the keys of a batch differ, and none is compared, unless there is a cache. Default `false`. */
  readonly distinct?: boolean;
  /** Different keys in one batch at most, 1 to Infinity. Default 1,000. */
  readonly maxBatchSize?: number;
  /** Milliseconds a key waits for others, 0 to 2^31-1, in place of `schedule`; a full batch goes at once. Default 0: as `schedule` says. */
  readonly maxWaitMs?: number;
  /** When a batch without `maxWaitMs` goes: after the promise jobs of this tick, after this microtask, or when a function calls back. Default `tick`. */
  readonly schedule?: 'tick' | 'microtask' | ((dispatch: () => void) => void);
  /** Batches under way at once, 1 to Infinity; further ones wait, and take keys until they are full. Default: no limit. */
  readonly concurrency?: number;
  /** Keys that wait at most, in all, 1 to Infinity; above it `ERR_TOO_MANY_KEYS`. Default 100,000. */
  readonly maxQueued?: number;
  /** Milliseconds a batch may take, 1 to 2^31-1, then `ERR_BATCH_TIMEOUT`. Default: no limit. */
  readonly loadTimeoutMs?: number;
  /** What a key gets that a map does not have: `ERR_KEY_MISSING`, or `undefined`. Default `error`. */
  readonly missing?: 'error' | 'undefined';
  /** Keeps what was loaded, failures not, until it is cleared: `true`, or a map of one's own. Off by default. */
  readonly cache?: boolean | BatchCache<V>;
  /** Default: the platform's. */
  readonly clock?: Clock;
}

/** Where results are kept. */
export interface BatchCache<V> {
  get(key: KeyValue): Promise<V> | undefined;
  set(key: KeyValue, value: Promise<V>): unknown;
  delete(key: KeyValue): unknown;
  clear(): unknown;
}

/** Options of one call. */
export interface LoadOptions {
  /** Leaves when it aborts. Before its batch goes, a key without a caller is taken out of it. */
  readonly signal?: AbortSignal;
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
  /** Calls that shared another call's key before its batch went. */
  readonly joined: number;
  /** Calls answered by what the cache keeps, in flight or settled. */
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

/** Makes one call of many keys. */
export interface Batcher<K, V> extends AsyncDisposable {
  /**
   * Loads a key with the batch that goes next. Equal keys of a batch share one promise, unless a caller has a
   * signal. Keys go in the order of the calls, those that only callers with a signal wait for last.
   *
   * @throws BatchingError, the key's own Error, the loader's error, or the signal's reason, as a rejection
   * @throws TypeError as a rejection for an object as key without option `key`, and for unknown options
   */
  load(key: K, options?: LoadOptions): Promise<V>;
  /** Loads many keys; rejects for no key, only with a TypeError for what is no array. Results are in the order of the keys. */
  loadMany(keys: readonly K[], options?: LoadOptions): Promise<PromiseSettledResult<V>[]>;
  /** Keeps a value that came from elsewhere, unless the key is known. Without `cache`, does nothing and returns `false`. */
  prime(key: K, value: V | Error): boolean;
  /** Forgets what is kept of a key; tells whether there was something. Its callers still get their answer. */
  forget(key: K): boolean;
  /** Forgets all that is kept. */
  clear(): void;
  /** Sends what waits now, as far as `concurrency` allows. */
  flush(): void;
  stats(): BatcherStats;
  /**
   * Refuses further calls and rejects those that wait, with `ERR_CLOSED`; aborts the signals of batches under
   * way, whose callers get what the loader makes of that. Waits for none of them. Idempotent.
   */
  close(): Promise<void>;
}
