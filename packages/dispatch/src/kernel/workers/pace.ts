/** Weight of the latest run in the moving average. */
const LATEST = 0.1;
/** Milliseconds below which differences say nothing: a garbage collection takes as long. */
export const LEAST_MS = 5;
/** What is known of a worker that answers nothing is half as true after this. */
const HALF_LIFE_MS = 15_000;

/** How long a worker takes for a run, on a geometric average: one that takes long now and then is not slow. */
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

  /** Milliseconds as they count at `now`: nearer to the fastest worker's the longer nothing was heard. */
  at(now: number, fastestMs: number): number {
    const ms = this.ms ?? fastestMs;
    return fastestMs + (ms - fastestMs) * 0.5 ** ((now - this.#at) / HALF_LIFE_MS);
  }
}
