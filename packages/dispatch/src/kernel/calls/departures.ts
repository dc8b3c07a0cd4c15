/** A slice of the measure is complete with this many departures over this time; what is known is of two slices at most. */
const SLICE_CALLS = 16;
const SLICE_MS = 250;
/** Below this many departures nothing is known yet. */
const KNOWN_CALLS = 8;
/** Weight of the latest answer in the moving average. */
const LATEST = 0.1;

/**
 * Measures how long a worker takes for each call that leaves the queue. Departures are counted only while calls wait, when
 * each worker has as much as it takes: so the measure holds for tasks that compute, one after the other, and for
 * tasks that wait for something else, many at a time.
 */
export class Departures {
  #calls = 0;
  #workerMs = 0;
  #callsBefore = 0;
  #workerMsBefore = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  /** Milliseconds from sending to the answer, by task. */
  readonly #held = new Map<string, { ms: number }>();
  /** Of all tasks; -1 before the first. */
  #meanHeldMs = -1;

  /** A worker took `calls` that waited, `ms` after it took one or the queue began. */
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

  /** A worker answered a task `ms` after it was sent. */
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
   * Milliseconds between two departures when `workers` hold `inFlight` calls; undefined if nothing is known. Before departures
   * were seen it is the mean time at a worker ÷ calls in flight (Little's law), which for one call at a time is the
   * mean run ÷ workers.
   */
  intervalMs(workers: number, inFlight: number, now: number): number | undefined {
    const calls = this.#calls + this.#callsBefore;
    if (calls < KNOWN_CALLS) {
      return this.#meanHeldMs < 0 ? undefined : this.#meanHeldMs / Math.max(1, inFlight);
    }
    const ms = this.#workerMs + this.#workerMsBefore;
    const interval = ms / calls / workers;
    // Nothing has left for longer than usual: it has become slower.
    const late = Math.max(0, now - this.#lastAt - interval);
    return late > interval ? (ms / workers + late) / calls : interval;
  }
}
