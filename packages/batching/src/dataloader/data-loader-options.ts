import { showValue } from '@ticketing/kit';
import { afterPromiseJobs } from '../batcher/batch-schedule.ts';

/** Store of promises: a subset of Map. */
export interface DataLoaderCacheMap<K, V> {
  // biome-ignore lint/suspicious/noConfusingVoidType: what programs assign to it was written for this type
  get(key: K): V | void;
  set(key: K, value: V): unknown;
  delete(key: K): unknown;
  clear(): unknown;
}

/** Loads many keys. Resolves with a value or an Error per key, in their order. */
export type DataLoaderBatchLoad<K, V> = (
  keys: ReadonlyArray<K>,
) => PromiseLike<ArrayLike<V | Error>>;

/** Options of the constructor. */
export interface DataLoaderOptions<K, V, C = K> {
  /** `false`: one key per batch. Default `true`. */
  batch?: boolean;
  /** Most keys in a batch. Default: no limit. */
  maxBatchSize?: number;
  /** Calls back when the batch should be sent. Default: after the promise jobs of this tick. */
  batchScheduleFn?: (callback: () => void) => void;
  /** `false`: nothing is cached. Default `true`. */
  cache?: boolean;
  /** Returns what a key is compared by. Default: the key itself. */
  cacheKeyFn?: (key: K) => C;
  /** Store of promises; `null`: none. Default: a Map. */
  cacheMap?: DataLoaderCacheMap<C, Promise<V>> | null;
  /** Default `null`. */
  name?: string | null;
}

/** Every option filled and checked. */
export interface ResolvedDataLoaderOptions<K, V, C> {
  readonly maxBatchSize: number;
  readonly batchScheduleFn: (callback: () => void) => void;
  readonly cacheKeyFn: ((key: K) => C) | undefined;
  readonly cacheMap: DataLoaderCacheMap<C, Promise<V>> | undefined;
  readonly name: string | null;
}

/**
 * Fills and checks the options as npm's `dataloader` does: it ignores unknown options, and takes `null` for none.
 *
 * @throws TypeError with the message of npm's `dataloader`
 */
export function resolveDataLoaderOptions<K, V, C>(
  options: DataLoaderOptions<K, V, C> | null | undefined,
): ResolvedDataLoaderOptions<K, V, C> {
  return {
    maxBatchSize: maxBatchSizeOf(options?.batch, options?.maxBatchSize),
    batchScheduleFn: checkFunction('batchScheduleFn', options?.batchScheduleFn) ?? afterPromiseJobs,
    cacheKeyFn: checkFunction('cacheKeyFn', options?.cacheKeyFn),
    cacheMap: options?.cache === false ? undefined : cacheMapOf(options?.cacheMap),
    name: options?.name || null,
  };
}

function maxBatchSizeOf(batch: boolean | undefined, maxBatchSize: number | undefined): number {
  if (batch === false) return 1;
  if (maxBatchSize === undefined) return Number.POSITIVE_INFINITY;
  if (typeof maxBatchSize !== 'number' || maxBatchSize < 1) {
    throw new TypeError(`maxBatchSize must be a positive number: ${showValue(maxBatchSize)}`);
  }
  return maxBatchSize;
}

function checkFunction<F>(option: string, value: F | undefined): F | undefined {
  if (value !== undefined && typeof value !== 'function') {
    throw new TypeError(`${option} must be a function: ${showValue(value)}`);
  }
  return value;
}

function cacheMapOf<C, V>(
  cacheMap: DataLoaderCacheMap<C, Promise<V>> | null | undefined,
): DataLoaderCacheMap<C, Promise<V>> | undefined {
  if (cacheMap === undefined) return new Map();
  if (cacheMap === null) return undefined;
  const missing = (['get', 'set', 'delete', 'clear'] as const).filter(
    (method) => cacheMap && typeof cacheMap[method] !== 'function',
  );
  if (missing.length > 0) {
    throw new TypeError(`Custom cacheMap missing methods: ${missing.join(', ')}`);
  }
  return cacheMap;
}
