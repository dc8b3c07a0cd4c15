/** Weight of the latest run in the moving average. */
const LATEST = 0.1;
/** Milliseconds below which differences are noise: a garbage collection takes as long. */
export const LEAST_MS = 5;
/** A worker that should have answered this many calls since it last did is slower than it was. */
const SILENT_ANSWERS = 3;
/** Half-life of a measured pace without new answers. */
const HALF_LIFE_MS = 15_000;

/** Time that a worker takes for a run, on a geometric average: one that takes long now and then is not slow. */
export class Pace {
  #logMs: number | undefined;
  #at = 0;

  record(runMs: number, now: number): void {
    const latest = Math.log(Math.max(LEAST_MS, runMs));
    this.#logMs =
      this.#logMs === undefined ? latest : this.#logMs + (latest - this.#logMs) * LATEST;
    this.#at = now;
  }

  /** Milliseconds; undefined before the first run. */
  get ms(): number | undefined {
    return this.#logMs === undefined ? undefined : Math.exp(this.#logMs);
  }

  /**
   * Milliseconds as they count at `now`: nearer to the fastest worker's the longer nothing was heard, but no less than what its
   * calls show.
   *
   * @param oldestAt - when the oldest of its `calls` was sent
   */
  at(now: number, fastestMs: number, calls = 0, oldestAt: number = now): number {
    const ms = this.ms ?? fastestMs;
    const known = fastestMs + (ms - fastestMs) * 0.5 ** ((now - this.#at) / HALF_LIFE_MS);
    if (now - oldestAt <= known) return known;
    // One call may take long; none of several that are due is a sign.
    const silentMs = now - Math.max(this.#at, oldestAt);
    return Math.max(known, Math.min(now - oldestAt, (silentMs * calls) / SILENT_ANSWERS));
  }
}
