import type { PoolWorker } from './pool-worker.ts';
import { leavesToOthers, type Slot } from './slots.ts';

/** Weight of the latest run in the moving average. */
const LATEST = 0.1;
/** Below this differences say nothing: a garbage collection takes as long. */
const LEAST_MS = 5;
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

/**
 * Returns the worker with room that is likely to answer first: the one with the least time for its calls and one more. A slow
 * worker gets calls while the others are busier than it is slow, and one now and then that shows whether it still is.
 */
export function soonest(
  slots: readonly Slot[],
  now: number,
  matches: (worker: PoolWorker) => boolean = () => true,
): PoolWorker | undefined {
  let fastestMs = Number.POSITIVE_INFINITY;
  for (const { current } of slots) {
    if (current?.state === 'ready') fastestMs = Math.min(fastestMs, current.pace?.ms ?? fastestMs);
  }
  if (fastestMs === Number.POSITIVE_INFINITY) fastestMs = LEAST_MS;
  let first: PoolWorker | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const { current } of slots) {
    if (!current?.hasRoom || leavesToOthers(current, slots) || !matches(current)) continue;
    const cost = (current.calls.size + 1) * (current.pace?.at(now, fastestMs) ?? fastestMs);
    // Averages of equal workers differ a little: within a quarter the one with fewer calls goes first.
    const isNear = first !== undefined && cost < least * 1.25 && cost > least * 0.8;
    if (isNear ? current.calls.size >= (first?.calls.size ?? 0) : cost >= least) continue;
    first = current;
    least = cost;
  }
  return first;
}
