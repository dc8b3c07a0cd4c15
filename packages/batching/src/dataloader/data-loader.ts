import { showValue } from '@ticketing/kit';
import { PromisedAnswers } from '../batcher/promised-answers.ts';
import {
  type DataLoaderBatchLoad,
  type DataLoaderCacheMap,
  type DataLoaderOptions,
  resolveDataLoaderOptions,
} from './data-loader-options.ts';

/**
 * Calls that the cache answers. They wait for the batch, too, so that what callers ask for next makes one batch. Each has a
 * promise of its own: callers that shared one would go on before others that asked earlier, and so ask for other keys
 * first than with npm's `dataloader`.
 */
interface CacheHits<V> {
  readonly answers: PromisedAnswers<V>;
  readonly cached: Promise<V>[];
}

interface LoaderBatch<K, V> {
  readonly keys: K[];
  readonly answers: PromisedAnswers<V>;
  hits: CacheHits<V> | undefined;
  state: 'made' | 'scheduled' | 'sent';
}

const contract =
  'DataLoader must be constructed with a function which accepts Array<key> and returns Promise<Array<value>>';

/**
 * Replaces the class of npm's `dataloader` 2.2.3: the same API, batches, cache and messages.
 *
 * @example
 * const users = new DataLoader(async (ids: readonly number[]) => ids.map((id) => `user ${id}`));
 * const [one, other] = await Promise.all([users.load(1), users.load(2)]); // one call
 */
export class DataLoader<K, V, C = K> {
  /** Name from the options; `null` without. */
  name: string | null;
  // Not `#private`: programs wrap loaders in proxies, and derive objects from them.
  private readonly batchLoadFn: DataLoaderBatchLoad<K, V>;
  private readonly maxBatchSize: number;
  private readonly batchScheduleFn: (callback: () => void) => void;
  private readonly cacheKeyFn: ((key: K) => C) | undefined;
  private readonly cacheMap: DataLoaderCacheMap<C, Promise<V>> | undefined;
  private batch: LoaderBatch<K, V> | undefined;

  /** @throws TypeError with the message of npm's `dataloader` */
  constructor(batchLoadFn: DataLoaderBatchLoad<K, V>, options?: DataLoaderOptions<K, V, C>) {
    if (typeof batchLoadFn !== 'function') {
      throw new TypeError(`${contract}, but got: ${showValue(batchLoadFn)}.`);
    }
    this.batchLoadFn = batchLoadFn;
    const resolved = resolveDataLoaderOptions(options);
    this.name = resolved.name;
    this.maxBatchSize = resolved.maxBatchSize;
    this.batchScheduleFn = resolved.batchScheduleFn;
    this.cacheKeyFn = resolved.cacheKeyFn;
    this.cacheMap = resolved.cacheMap;
    this.batch = undefined;
  }

  /**
   * Loads a key: from the cache, or with the next batch. A cached value waits for that batch, too.
   *
   * @throws TypeError for `null` or `undefined`
   */
  load(key: K): Promise<V> {
    if (key === null || key === undefined) {
      throw new TypeError(
        `The loader.load() function must be called with a value, but got: ${showValue(key)}.`,
      );
    }
    const batch = this.batchOfKey();
    const promise = this.promiseOf(key, batch);
    if (batch.state === 'made') this.schedule(batch);
    return promise;
  }

  /**
   * Loads many keys. A key that fails has its error among the values.
   *
   * @throws TypeError for `keys` that is not like an array, and for `null` or `undefined` in it
   */
  loadMany(keys: ArrayLike<K>): Promise<Array<V | Error>> {
    if (!isArrayLike(keys)) {
      throw new TypeError(
        `The loader.loadMany() function must be called with Array<key> but got: ${showValue(keys)}.`,
      );
    }
    const promises: Promise<V | Error>[] = [];
    for (let place = 0; place < keys.length; place++) {
      promises.push(this.load(keys[place] as K).catch(asValue));
    }
    return Promise.all(promises);
  }

  /** Forgets a key. */
  clear(key: K): this {
    this.cacheMap?.delete(this.cacheKeyOf(key));
    return this;
  }

  /** Forgets every key. */
  clearAll(): this {
    this.cacheMap?.clear();
    return this;
  }

  /** Keeps a value from elsewhere, unless the key is known; an Error rejects. */
  prime(key: K, value: V | PromiseLike<V> | Error): this {
    const { cacheMap } = this;
    if (cacheMap === undefined) return this;
    const cacheKey = this.cacheKeyOf(key);
    if (cacheMap.get(cacheKey) !== undefined) return this;
    const failed = value instanceof Error;
    const promise: Promise<V> = failed ? Promise.reject(value) : Promise.resolve(value);
    // It may never be asked for.
    if (failed) promise.catch(() => {});
    cacheMap.set(cacheKey, promise);
    return this;
  }

  private cacheKeyOf(key: K): C {
    return this.cacheKeyFn === undefined ? (key as unknown as C) : this.cacheKeyFn(key);
  }

  private batchOfKey(): LoaderBatch<K, V> {
    const { batch } = this;
    if (batch && batch.answers.size < this.maxBatchSize) return batch;
    this.batch = { keys: [], answers: new PromisedAnswers(), hits: undefined, state: 'made' };
    return this.batch;
  }

  private promiseOf(key: K, batch: LoaderBatch<K, V>): Promise<V> {
    const { cacheMap } = this;
    if (cacheMap === undefined) {
      batch.keys.push(key);
      return batch.answers.add();
    }
    const cacheKey = this.cacheKeyOf(key);
    const cached = cacheMap.get(cacheKey);
    if (cached) {
      batch.hits ??= { answers: new PromisedAnswers(), cached: [] };
      batch.hits.cached.push(cached);
      return batch.hits.answers.add();
    }
    batch.keys.push(key);
    const promise = batch.answers.add();
    cacheMap.set(cacheKey, promise);
    return promise;
  }

  /** Called after the key is added: a schedule may send the batch within this call. One that throws is called again. */
  private schedule(batch: LoaderBatch<K, V>): void {
    this.batchScheduleFn(() => this.dispatch(batch));
    if (batch.state === 'made') batch.state = 'scheduled';
  }

  private dispatch(batch: LoaderBatch<K, V>): void {
    if (batch.state === 'sent') return;
    batch.state = 'sent';
    if (this.batch === batch) this.batch = undefined;
    if (batch.answers.size === 0) {
      release(batch);
      return;
    }
    let values: unknown;
    try {
      values = this.batchLoadFn(batch.keys);
    } catch (error) {
      const how = `but the function errored synchronously: ${showValue(error)}.`;
      this.fail(batch, new TypeError(`${contract}, ${how}`));
      return;
    }
    if (typeof (values as PromiseLike<unknown> | undefined)?.then !== 'function') {
      const how = `but the function did not return a Promise: ${showValue(values)}.`;
      this.fail(batch, new TypeError(`${contract}, ${how}`));
      return;
    }
    Promise.resolve(values)
      .then((settled) => this.settle(batch, settled))
      .catch((error) => this.fail(batch, error));
  }

  private settle(batch: LoaderBatch<K, V>, values: unknown): void {
    const failure = whatIsWrong(values, batch);
    if (failure !== undefined) throw failure;
    release(batch);
    batch.answers.give(values as ArrayLike<V | Error>);
  }

  /** A batch that fails as a whole is not cached; cache hits are answered. */
  private fail(batch: LoaderBatch<K, V>, error: unknown): void {
    release(batch);
    try {
      for (const key of batch.keys) this.clear(key);
    } finally {
      batch.answers.fail(error);
    }
  }
}

/** The types of npm's `dataloader`, under its names. */
export declare namespace DataLoader {
  export type CacheMap<K, V> = DataLoaderCacheMap<K, V>;
  export type BatchLoadFn<K, V> = DataLoaderBatchLoad<K, V>;
  export type Options<K, V, C = K> = DataLoaderOptions<K, V, C>;
}

function release<K, V>({ hits }: LoaderBatch<K, V>): void {
  hits?.answers.give(hits.cached);
}

function asValue(error: Error): Error {
  return error;
}

/** Returns whether a value is an object with a length and its last element. */
function isArrayLike(value: unknown): value is ArrayLike<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const { length } = value as Partial<ArrayLike<unknown>>;
  return typeof length === 'number' && (length === 0 || Object.hasOwn(value, length - 1));
}

function whatIsWrong<K, V>(
  values: unknown,
  { keys, answers }: LoaderBatch<K, V>,
): TypeError | undefined {
  const how = 'but the function did not return a Promise of an Array';
  if (!isArrayLike(values)) return new TypeError(`${contract}, ${how}: ${showValue(values)}.`);
  if (values.length === answers.size) return undefined;
  const what = `Keys:\n${showValue(keys)}\n\nValues:\n${showValue(values)}`;
  return new TypeError(`${contract}, ${how} of the same length as the Array of keys.\n\n${what}`);
}
