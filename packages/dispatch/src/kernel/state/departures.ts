/** A slice of the measure is complete with this many departures over this time; the measure spans two slices at most. */
const SLICE_CALLS = 16;
const SLICE_MS = 250;
/** Number of departures from which on a rate is known. */
const KNOWN_CALLS = 8;
/** Weight of the latest answer in the moving average. */
const LATEST = 0.1;

/**
 * Measures the time of a worker per call that leaves the queue. Counts only while calls wait, when each worker is full: so the
 * measure holds for tasks that compute, one after the other, and for tasks that wait, many at a time.
 */
export class Departures {
  #calls = 0;
  #workerMs = 0;
  #callsBefore = 0;
  #workerMsBefore = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds from sending to the answer, by task. */
  readonly #held = new Map<string, { ms: number }>();
  /** Mean of all tasks; -1 before the first. */
  #meanHeldMs = -1;

  /** Records `calls` that one worker took from the queue in `ms` of its time. */
  left(calls: number, ms: number, now: number): void {
    if (this.#calls >= SLICE_CALLS && this.#workerMs >= SLICE_MS) {
      this.#callsBefore = this.#calls;
      this.#workerMsBefore = this.#workerMs;
      this.#calls = 0;
      this.#workerMs = 0;
    }
    this.#calls += calls;
    this.#workerMs += ms;
    this.#lastAt = now;
  }

  /** Takes back one departure: the call is in the queue again, and leaves it once more. */
  returned(): void {
    if (this.#calls > 0) this.#calls -= 1;
    else if (this.#callsBefore > 0) this.#callsBefore -= 1;
  }

  /** Records the first calls of a worker: while it had none, none was late. */
  filled(now: number): void {
    this.#lastAt = now;
  }

  /** Records an answer that came `ms` after its call was sent. */
  answered(task: string, ms: number): void {
    const held = this.#held.get(task);
    if (held === undefined) this.#held.set(task, { ms });
    else held.ms += (ms - held.ms) * LATEST;
    this.#meanHeldMs =
      this.#meanHeldMs < 0 ? ms : this.#meanHeldMs + (ms - this.#meanHeldMs) * LATEST;
  }

  /** Milliseconds from sending to the answer, on average; 0 if none was answered. */
  heldMs(task: string): number {
    return this.#held.get(task)?.ms ?? 0;
  }

  /**
   * Returns the milliseconds between two departures when `workers` hold `inFlight` calls; undefined while nothing is known.
   * Before the first departures it is the mean time at a worker ÷ calls in flight (Little's law). `since`: when calls began to
   * wait; before it nothing could leave.
   */
  intervalMs(
    workers: number,
    inFlight: number,
    now: number,
    since: number = Number.NEGATIVE_INFINITY,
  ): number | undefined {
    const calls = this.#calls + this.#callsBefore;
    if (calls < KNOWN_CALLS) {
      return this.#meanHeldMs < 0 ? undefined : this.#meanHeldMs / Math.max(1, inFlight);
    }
    const ms = this.#workerMs + this.#workerMsBefore;
    const interval = ms / calls / workers;
    // Nothing has left for longer than usual: the workers have become slower.
    const late = Math.max(0, now - Math.max(this.#lastAt, since) - interval);
    return late > interval ? (ms / workers + late) / calls : interval;
  }
}
