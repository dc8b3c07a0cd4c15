import type { KeyValue } from '../canonical-key.ts';
import type { BatchOutcome } from './batch-runner.ts';
import type { BatchCache } from './batcher.ts';
import type { KeyBatch } from './key-batch.ts';

/** The promises that a batcher keeps, in the cache of its options. */
export class KeptAnswers<K, V> {
  /**
   * The batch whose keys are all that is kept: its map is the cache itself, so that a key costs one entry. It has a copy as
   * soon as they differ. Only for a cache that nothing but this batcher changes.
   */
  sole: KeyBatch<K, V> | undefined;
  readonly #cache: BatchCache<V>;

  constructor(cache: BatchCache<V>) {
    this.#cache = cache;
  }

  /** Gives the cache, a Map, to a batch of one key as its map, if nothing else is kept. */
  share(batch: KeyBatch<K, V>): void {
    const cache = this.#cache as Map<KeyValue, Promise<V>>;
    if (cache.size !== 1) return;
    batch.promises = cache;
    this.sole = batch;
  }

  /** Ends a share of the cache, unless it is for this batch. */
  part(batch?: KeyBatch<K, V>): void {
    if (this.sole === undefined || this.sole === batch) return;
    this.sole.promises = new Map(this.sole.promises);
    this.sole = undefined;
  }

  get(id: KeyValue): Promise<V> | undefined {
    return this.#cache.get(id);
  }

  /** Keeps the promise of a key that is in a batch, or whose value is from elsewhere. */
  set(id: KeyValue, promise: Promise<V>, batch?: KeyBatch<K, V>): void {
    this.part(batch);
    try {
      this.#cache.set(id, promise);
    } catch (error) {
      // The caller gets the cache's error, and the promise has no handler for a rejection.
      promise.catch(() => {});
      throw error;
    }
  }

  /** Keeps a value from elsewhere, unless the key is known. */
  prime(id: KeyValue, value: V | Error): boolean {
    if (this.#cache.get(id) !== undefined) return false;
    const promise: Promise<V> =
      value instanceof Error ? Promise.reject(value) : Promise.resolve(value);
    promise.catch(() => {});
    this.set(id, promise);
    return true;
  }

  forget(id: KeyValue): boolean {
    this.part();
    const known = this.#cache.get(id) !== undefined;
    this.#cache.delete(id);
    return known;
  }

  clear(): void {
    this.part();
    this.#cache.clear();
  }

  /** Forgets a promise, unless another has replaced it. A cache that throws must not keep callers waiting. */
  drop(id: KeyValue, promise: Promise<V> | undefined): void {
    try {
      if (this.#cache.get(id) === promise) this.#cache.delete(id);
    } catch {}
  }

  /** Forgets every key of a batch. */
  dropAll(batch: KeyBatch<K, V>): void {
    for (const [id, promise] of batch.promises ?? []) this.drop(id, promise);
  }

  /** Forgets failed keys before their callers are rejected, so that a retry loads again. */
  dropFailed(batch: KeyBatch<K, V>, outcome: BatchOutcome<V>): void {
    if (outcome.kind !== 'answers') {
      this.dropAll(batch);
    } else if (outcome.failed !== 0) {
      for (const [place, id] of batch.ids().entries()) {
        if (outcome.answers[place] instanceof Error) this.drop(id, batch.promises?.get(id));
      }
    }
  }
}
