import { usableCores } from '@ticketing/kit';
import { BusyPoll } from '../busy-poll.ts';

/** Two callers have one call in flight between their calls: this many messages in a row show that there is one. */
const CROWDED_READS = 64;

/**
 * Polls for the answers of workers, and decides whether they poll for calls: while there is a core for this thread, and one for
 * each worker that may have calls. Figures: docs/decisions/0036-polling-for-answers.md.
 */
export class PolledAnswers {
  readonly #poll = new BusyPoll();
  /** Most workers with calls for which this thread polls. */
  readonly #most: number;
  /** Messages to read until polling goes on, after more workers than that may have had calls. */
  #crowded = 0;

  constructor(isOn: boolean) {
    this.#most = isOn ? usableCores() - 1 : 0;
  }

  /** Calls have been sent, or are left. `calls`: those in flight; `workers`: those that are alive. */
  expect(calls: number, workers: number): void {
    if (this.#hasCores(calls, workers)) this.#poll.expect();
  }

  /** Whether workers are to poll for calls. */
  polls(calls: number, workers: number): boolean {
    return this.#hasCores(calls, workers) && this.#poll.isTrying;
  }

  /** A message of a worker has come. */
  arrived(): void {
    this.#poll.arrived();
    if (this.#crowded > 0) this.#crowded -= 1;
  }

  stop(): void {
    this.#poll.stop();
  }

  #hasCores(calls: number, workers: number): boolean {
    if (calls === 0 || this.#most === 0) return false;
    if (Math.min(calls, workers) > this.#most) this.#crowded = CROWDED_READS;
    return this.#crowded === 0;
  }
}
