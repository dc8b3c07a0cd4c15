import type { KeyValue } from '../canonical-key.ts';
import type { BatchOutcome } from './batch-runner.ts';
import type { BatchCache } from './batcher.ts';
import type { KeyBatch } from './key-batch.ts';

/** The promises that a batcher keeps, in the cache of its options. */
export class KeptAnswers<K, V> {
  readonly #cache: BatchCache<V>;

  constructor(cache: BatchCache<V>) {
    this.#cache = cache;
  }

  get(id: KeyValue): Promise<V> | undefined {
    return this.#cache.get(id);
  }

  /** Keeps the promise of a key that is in a batch. */
  set(id: KeyValue, promise: Promise<V>): void {
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
    const failed = value instanceof Error;
    const promise: Promise<V> = failed ? Promise.reject(value) : Promise.resolve(value);
    if (failed) promise.catch(() => {});
    this.#cache.set(id, promise);
    return true;
  }

  forget(id: KeyValue): boolean {
    const known = this.#cache.get(id) !== undefined;
    this.#cache.delete(id);
    return known;
  }

  clear(): void {
    this.#cache.clear();
  }

  /** Forgets a promise, unless another has replaced it. A cache that throws must not keep callers waiting. */
  drop(id: KeyValue, promise: Promise<V>): void {
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
        const promise = batch.promises?.get(id);
        if (promise && outcome.answers[place] instanceof Error) this.drop(id, promise);
      }
    }
  }
}
