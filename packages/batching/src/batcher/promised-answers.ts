/**
 * Promises that are answered all at once, in the order in which they were made.
 *
 * They are derived from one promise, the gate. Reactions of one promise run in the order in which they were attached
 * (ECMA-262, TriggerPromiseReactions), so a counter is enough to give the n-th its answer: a key costs its promise, but no
 * resolver, no closure and no object.
 */
export class PromisedAnswers<V> {
  /** Promises made. */
  size = 0;
  readonly #gate: Promise<void>;
  readonly #pick: () => V | PromiseLike<V>;
  #open!: () => void;
  #fail!: (error: unknown) => void;
  #answers: ArrayLike<V | PromiseLike<V> | Error> = [];
  #next = 0;

  constructor() {
    this.#gate = new Promise((resolve, reject) => {
      this.#open = resolve;
      this.#fail = reject;
    });
    this.#pick = () => {
      const answer = this.#answers[this.#next++] as V | PromiseLike<V> | Error;
      if (answer instanceof Error) throw answer;
      return answer;
    };
  }

  /** Returns the promise of one more answer. */
  add(): Promise<V> {
    this.size += 1;
    return this.#gate.then(this.#pick);
  }

  /** Answers every promise; an Error rejects. */
  give(answers: ArrayLike<V | PromiseLike<V> | Error>): void {
    this.#answers = answers;
    this.#open();
  }

  /** Rejects every promise. Without any, the gate stays pending, because its rejection would be unhandled. */
  fail(error: unknown): void {
    if (this.size > 0) this.#fail(error);
  }
}
