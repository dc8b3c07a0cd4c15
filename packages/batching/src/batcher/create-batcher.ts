import { aFunction, wrongOption } from '@ticketing/kit';
import { isPrimitive, type KeyValue, objectKeyError } from '../canonical-key.ts';
import { callError } from '../errors.ts';
import { Leavers } from '../leavers.ts';
import { BatchQueue } from './batch-queue.ts';
import { type BatchLoader, type BatchOutcome, BatchRunner } from './batch-runner.ts';
import type { Batcher, BatcherOptions, BatcherStats, LoadOptions } from './batcher.ts';
import {
  checkLoadOptions,
  type ResolvedBatcherOptions,
  resolveBatcherOptions,
} from './batcher-options.ts';
import { KeptAnswers } from './kept-answers.ts';
import type { KeyBatch, LeavableKey } from './key-batch.ts';

/**
 * Creates a batcher: keys asked for at about the same time become one call of `load`, each key once. The loader
 * returns one result per key in the order of the keys, or a map; an Error among them fails its key alone. It runs in
 * the async context in which the batcher was created, never in a caller's. The batcher holds keys that wait or are
 * under way and, with `cache`, results; close it, or drop it when idle.
 * Diagnostics channels: `ticketing:batching:batch`, `{ name, keys, ms, failed }` as each batch settles, and the tracing
 * channel of the same name, inside whose bound stores the loader runs.
 *
 * @throws TypeError or RangeError for a loader that is no function, and for options that are unknown or out of range
 * @example
 * const stations = createBatcher((ids: readonly number[]) => fetchStations(ids), { name: 'stations' });
 * const [a, b] = await Promise.all([stations.load(1), stations.load(2)]); // one call
 */
export function createBatcher<K, V>(
  load: BatchLoader<K, V>,
  options?: BatcherOptions<K, V> & { readonly missing?: 'error' | undefined },
): Batcher<K, V>;
/** Creates a batcher by `missing: 'undefined'`: a key that the loader's map lacks is `undefined`. */
export function createBatcher<K, V>(
  load: BatchLoader<K, V>,
  options: BatcherOptions<K, V | undefined>,
): Batcher<K, V | undefined>;
export function createBatcher<K, V>(
  load: BatchLoader<K, V>,
  options: BatcherOptions<K, V> = {},
): Batcher<K, V> {
  if (typeof load !== 'function') {
    throw wrongOption('create batcher', 'load', aFunction, load);
  }
  return new KeyBatcher(load, resolveBatcherOptions(options, load.name || 'batcher'));
}

/** The one implementation. */
class KeyBatcher<K, V> implements Batcher<K, V> {
  readonly #options: ResolvedBatcherOptions<K, V>;
  readonly #runner: BatchRunner<K, V>;
  readonly #queue: BatchQueue<K, V>;
  readonly #keyOf: ((key: K) => KeyValue) | undefined;
  readonly #kept: KeptAnswers<K, V> | undefined;
  /** Keys are neither compared nor kept. */
  readonly #plain: boolean;
  /** Keys are compared by themselves if at all, and only this batcher changes what is kept. */
  readonly #easy: boolean;
  readonly #leavers = new Leavers();
  /** Keys that have not settled and whose first caller has a signal, by their promises. */
  readonly #leavable = new Map<Promise<V>, LeavableKey<K, V>>();
  #closed = false;
  #asked = 0;
  #joined = 0;
  #hits = 0;
  #left = 0;

  constructor(load: BatchLoader<K, V>, options: ResolvedBatcherOptions<K, V>) {
    this.#options = options;
    this.#keyOf = options.key;
    if (options.cache !== undefined) this.#kept = new KeptAnswers(options.cache);
    this.#plain = options.distinct && this.#kept === undefined;
    this.#easy = this.#keyOf === undefined && (this.#kept === undefined || options.ownsCache);
    this.#runner = new BatchRunner(load, options, (batch, outcome) => this.#ended(batch, outcome));
    this.#queue = new BatchQueue(options, this.#runner);
  }

  load(key: K, options?: LoadOptions): Promise<V> {
    this.#asked += 1;
    if (options === undefined && this.#easy) {
      // The fast path: a batch has room, and its map knows all that is kept.
      const batch = this.#queue.current;
      const isAlone = this.#kept === undefined || this.#kept.sole === batch;
      if (isAlone && batch !== undefined && batch.size < batch.easySize && isPrimitive(key)) {
        const known = batch.promises?.get(key);
        if (known === undefined) return batch.add(key, key);
        if (this.#leavable.size === 0) {
          this.#joined += 1;
          return known;
        }
      }
    }
    try {
      if (this.#closed) throw this.#closedError();
      if (options !== undefined) {
        checkLoadOptions(options);
        if (options.signal !== undefined) return this.#loadApart(key, options.signal);
      }
      const id = this.#idOf(key);
      const known = this.#known(id);
      if (known === undefined) {
        const batch = this.#queue.take(key);
        return this.#added(batch, id, batch.add(key, id));
      }
      if (this.#leavable.size > 0) this.#stay(known);
      return known;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  loadMany(keys: readonly K[], options?: LoadOptions): Promise<PromiseSettledResult<V>[]> {
    if (!Array.isArray(keys)) {
      return Promise.reject(wrongOption('load many', 'keys', { expected: 'an array' }, keys));
    }
    return Promise.allSettled(keys.map((key) => this.load(key, options)));
  }

  prime(key: K, value: V | Error): boolean {
    return !this.#closed && (this.#kept?.prime(this.#idOf(key), value) ?? false);
  }

  forget(key: K): boolean {
    return this.#kept?.forget(this.#idOf(key)) ?? false;
  }

  clear(): void {
    this.#kept?.clear();
  }

  flush(): void {
    this.#queue.flush();
  }

  stats(): BatcherStats {
    const { batches, loaded, failed, inFlight } = this.#runner;
    const { overflowed, queued } = this.#queue;
    return {
      name: this.#options.name,
      asked: this.#asked,
      batches,
      loaded,
      joined: this.#joined,
      hits: this.#hits,
      failed,
      left: this.#left,
      overflowed,
      queued,
      inFlight,
    };
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    const error = this.#closedError();
    const waiting = this.#queue.drain();
    for (const batch of waiting) this.#failUnsent(batch, error);
    for (const batch of [...this.#runner.underWay]) batch.abort(error);
    this.#runner.close();
    if (this.#options.ownsCache) this.clear();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #idOf(key: K): KeyValue {
    if (this.#plain) return undefined;
    const id: unknown = this.#keyOf === undefined ? key : this.#keyOf(key);
    if (!isPrimitive(id)) throw objectKeyError(`load from \`${this.#options.name}\``, this.#keyOf);
    return id;
  }

  /** Returns the promise of a key that is waiting or kept. After `undefined` there is room for the key. */
  #known(id: KeyValue): Promise<V> | undefined {
    let known = this.#find(id);
    while (known === undefined && this.#queue.makeRoom()) known = this.#find(id);
    return known;
  }

  #find(id: KeyValue): Promise<V> | undefined {
    if (this.#plain) return undefined;
    const batched = this.#queue.current?.promises?.get(id);
    if (batched !== undefined) {
      this.#joined += 1;
      // It was forgotten, but is not sent yet: its result will be new, and may be kept.
      if (this.#kept !== undefined && this.#kept.get(id) === undefined) this.#kept.set(id, batched);
      return batched;
    }
    const kept = this.#kept?.get(id);
    if (kept !== undefined) this.#hits += 1;
    return kept;
  }

  #added(batch: KeyBatch<K, V>, id: KeyValue, promise: Promise<V>): Promise<V> {
    try {
      this.#queue.added(batch);
    } catch (error) {
      this.#queue.end(batch);
      this.#failUnsent(batch, error);
    }
    if (batch.state !== 'settled') {
      this.#kept?.set(id, promise, batch);
      // Not before: a schedule of the caller's own may ask for further keys.
      if (this.#options.ownsCache && batch.size === 1) this.#kept?.share(batch);
    }
    return promise;
  }

  /** A call with a signal: it can leave the promise that others wait for. */
  #loadApart(key: K, signal: AbortSignal): Promise<V> {
    if (signal.aborted) {
      this.#left += 1;
      throw signal.reason;
    }
    const id = this.#idOf(key);
    const known = this.#known(id);
    if (known !== undefined) {
      const leavable = this.#leavable.get(known);
      if (leavable) this.#enter(leavable);
      return this.#wait(known, signal, leavable);
    }
    const batch = this.#queue.take(key);
    const leavable = batch.addLeavable(key, id);
    this.#leavable.set(leavable.promise, leavable);
    return this.#wait(this.#added(batch, id, leavable.promise), signal, leavable);
  }

  #wait(
    promise: Promise<V>,
    signal: AbortSignal,
    leavable: LeavableKey<K, V> | undefined,
  ): Promise<V> {
    const onLeave = (): void => {
      this.#left += 1;
      if (leavable) this.#leave(leavable);
    };
    return this.#leavers.wait(promise, { signal, onLeave });
  }

  #enter(leavable: LeavableKey<K, V>): void {
    if (leavable.callers === 0) leavable.batch.awaited += 1;
    leavable.callers += 1;
  }

  /** Notes a caller without a signal: the key is never removed. */
  #stay(promise: Promise<V>): void {
    const leavable = this.#leavable.get(promise);
    if (leavable !== undefined) this.#enter(leavable);
  }

  /** Notes that a caller left. A key without callers is removed from its batch; with its last key, a batch under way is aborted. */
  #leave(leavable: LeavableKey<K, V>): void {
    const { batch, promise, id } = leavable;
    leavable.callers -= 1;
    if (leavable.callers > 0 || batch.state === 'settled') return;
    if (batch.state !== 'under-way') {
      this.#leavable.delete(promise);
      this.#kept?.drop(id, promise);
      batch.remove(leavable);
      this.#queue.removed(batch);
      return;
    }
    batch.awaited -= 1;
    if (batch.awaited > 0) return;
    // No call joins an aborted batch.
    this.#kept?.dropAll(batch);
    const { name } = this.#options;
    const message = `Batch of \`${name}\` was aborted: no caller is waiting`;
    batch.abort(callError(name, 'ERR_ABORTED', message));
  }

  /** Called before the callers of a batch get its outcome. */
  #ended(batch: KeyBatch<K, V>, outcome: BatchOutcome<V>): void {
    this.#kept?.dropFailed(batch, outcome);
    this.#release(batch);
    // Before the next batch starts, because `concurrency` bounds what runs.
    if (outcome.kind === 'timeout') batch.abort(outcome.error);
    this.#queue.advance();
  }

  #failUnsent(batch: KeyBatch<K, V>, error: unknown): void {
    this.#kept?.dropAll(batch);
    this.#release(batch);
    batch.fail(error);
  }

  /** Forgets the keys of a settled batch. */
  #release(batch: KeyBatch<K, V>): void {
    if (this.#kept?.sole === batch) this.#kept.sole = undefined;
    for (const { promise } of batch.leavableKeys()) this.#leavable.delete(promise);
  }

  #closedError(): Error {
    const { name } = this.#options;
    return callError(name, 'ERR_CLOSED', `Cannot load from \`${name}\`: the batcher is closed`);
  }
}
