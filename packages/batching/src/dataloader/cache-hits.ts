/**
 * Answers from the cache that wait for a batch: what is known already settles together with what is loaded,
 * so that whatever callers ask for next makes one batch, too.
 *
 * They hang on one gate and run in the order in which they were asked for, as in `PromisedAnswers`. A promise
 * for each call: callers that shared one would go on before others that asked earlier, and so ask for
 * other keys first than they do with npm's `dataloader`.
 */
export class CacheHits<V> {
  readonly #cached: Promise<V>[] = [];
  readonly #gate: Promise<void>;
  readonly #pick: () => Promise<V>;
  #open!: () => void;
  #next = 0;

  constructor() {
    this.#gate = new Promise((resolve) => {
      this.#open = resolve;
    });
    this.#pick = () => this.#cached[this.#next++] as Promise<V>;
  }

  /** A promise that waits for the batch, then follows the cached one. */
  add(cached: Promise<V>): Promise<V> {
    this.#cached.push(cached);
    return this.#gate.then(this.#pick);
  }

  /** The batch has settled. */
  release(): void {
    this.#open();
  }
}
