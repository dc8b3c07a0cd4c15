interface CacheHit<V> {
  readonly cached: Promise<V>;
  readonly waiting: Promise<V>;
}

/**
 * Answers from the cache that wait for a batch: what is known already settles together with what is loaded,
 * so that whatever callers ask for next makes one batch, too.
 */
export class CacheHits<C, V> {
  /** By cache key: dearer by promise, since an object is given a hash when it first becomes a key. */
  readonly #hits = new Map<C, CacheHit<V>>();
  readonly #gate: Promise<void>;
  #open!: () => void;

  constructor() {
    this.#gate = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  /** A promise that waits for the batch, then follows the cached one; the same for each caller. */
  of(cacheKey: C, cached: Promise<V>): Promise<V> {
    const known = this.#hits.get(cacheKey);
    // What is cached may have changed since.
    if (known?.cached === cached) return known.waiting;
    const waiting = this.#gate.then(() => cached);
    this.#hits.set(cacheKey, { cached, waiting });
    return waiting;
  }

  /** The batch has settled. */
  release(): void {
    this.#open();
  }
}
