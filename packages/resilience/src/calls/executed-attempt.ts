import type { Attempt, ExecuteContext } from '../guard.ts';

/** An attempt in the shape of policies of other libraries. */
export class ExecutedAttempt implements ExecuteContext {
  readonly #attempt: Attempt;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  get attempt(): number {
    return this.#attempt.number - 1;
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }
}
