import { usableCores } from '@ticketing/kit';
import { BusyPoll } from '../../busy-poll.ts';

/** Two callers have one call in flight between their calls: this many messages in a row show that there is one. */
const CROWDED_READS = 64;

export interface InFlight {
  /** Calls in flight. */
  readonly calls: number;
  /** Number of streams in flight. */
  readonly streams: number;
  /** Workers that are alive. */
  readonly workers: number;
}

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
  /** True if a stream has got credit since the last message. */
  #hasGranted = false;

  constructor(isOn: boolean) {
    this.#most = isOn ? usableCores() - 1 : 0;
  }

  /** True if the pool ever polls. */
  get isOn(): boolean {
    return this.#most > 0;
  }

  /** Calls or credit have been sent, or calls are left. */
  expect(inFlight: InFlight): void {
    const { calls, streams } = inFlight;
    if ((calls > streams || this.#hasGranted) && this.#hasCores(inFlight)) this.#poll.expect();
  }

  /** Returns true if workers must poll for calls. */
  polls(inFlight: InFlight): boolean {
    const { calls, streams } = inFlight;
    return calls > streams && this.#hasCores(inFlight) && this.#poll.isTrying;
  }

  /** A stream has got credit: its worker may have waited for it, and then sends an item at once. Others come when its task has them. */
  granted(): void {
    this.#hasGranted = true;
  }

  /** A message of a worker has come. */
  arrived(): void {
    this.#poll.arrived();
    this.#hasGranted = false;
    if (this.#crowded > 0) this.#crowded -= 1;
  }

  stop(): void {
    this.#poll.stop();
  }

  #hasCores({ calls, workers }: InFlight): boolean {
    if (calls === 0 || this.#most === 0) return false;
    if (Math.min(calls, workers) > this.#most) this.#crowded = CROWDED_READS;
    return this.#crowded === 0;
  }
}
