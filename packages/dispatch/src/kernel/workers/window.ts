/** How many tasks a worker is given before it answers. */
export interface Window {
  /** Tasks; an integer. */
  readonly size: number;
  /** Learns from what the worker did. */
  record(load: WindowLoad): void;
}

/** What a worker did since the last time. */
export interface WindowLoad {
  /** Milliseconds in all, and those in which its event loop was not idle. */
  readonly elapsedMs: number;
  readonly activeMs: number;
  /** Tasks answered. */
  readonly done: number;
  /** Whether tasks were queued that it was not given, since its window was full. */
  readonly starved: boolean;
}

/** Milliseconds of work that a worker has before it: enough to bridge the way to the next task. */
const AHEAD_MS = 1.5;
/** One that it works on, one that waits in its process: while it waits for the next it would be idle. */
const LEAST = 2;
/** Milliseconds of work a task from which on that idle time is nothing, and waiting behind another is long. */
const ALONE_MS = 4;
/** Below the first it is idle, from the second on it is full: between them nothing changes. */
const IDLE = 0.9;
const FULL = 0.97;
/** From 2 on it is at least one more. */
const GROWTH = 1.5;
const SHRINKAGE = 0.25;
/** Weight of the latest load in the moving average. */
const LATEST = 0.3;

interface AutoBounds {
  readonly first: number;
  readonly max: number;
  /** Whether no other worker could take what waits: a window of 1 would gain nothing. Default: there are others. */
  readonly isSole?: () => boolean;
}

/**
 * Creates the window of one worker. A number is kept. `auto` begins with `first`, stays within 2 to `max`, and follows the load:
 * tasks that keep the worker busy fill 1.5 ms of work; from 4 ms per task on the window is 1, because a task in a worker's
 * window moves to another worker only once that worker is held up (the only worker keeps 2). Tasks that wait for something
 * else leave the worker idle: the window grows while calls are queued.
 */
export function createWindow(setting: 'auto' | number, auto: AutoBounds): Window {
  if (setting !== 'auto') return { size: setting, record: () => {} };
  return new AutoWindow(auto);
}

class AutoWindow implements Window {
  readonly #max: number;
  readonly #isSole: () => boolean;
  /** Exact, so that small steps add up. */
  #exact: number;
  /** Milliseconds of work a task, on average. */
  #costMs: number | undefined;

  constructor({ first, max, isSole = () => false }: AutoBounds) {
    this.#max = max;
    this.#isSole = isSole;
    this.#exact = this.#clamp(first);
  }

  get size(): number {
    return Math.round(this.#exact);
  }

  record({ elapsedMs, activeMs, done, starved }: WindowLoad): void {
    // A worker's clock may stand still between two reports; nothing can be told from that.
    if (!(elapsedMs > 0 && activeMs >= 0)) return;
    if (done > 0) this.#learnCost(activeMs / done);
    const floor = this.#floor();
    const busy = activeMs / elapsedMs;
    let size = this.#exact;
    if (busy < IDLE && starved) size *= GROWTH;
    else if (busy >= FULL) size -= (size - floor) * SHRINKAGE;
    this.#exact = this.#clamp(Math.max(size, floor));
  }

  #learnCost(costMs: number): void {
    this.#costMs =
      this.#costMs === undefined ? costMs : this.#costMs + (costMs - this.#costMs) * LATEST;
  }

  /** What the worker has at least, however busy it is. */
  #floor(): number {
    return this.#clamp(this.#costMs === undefined ? 0 : AHEAD_MS / this.#costMs);
  }

  #clamp(size: number): number {
    const least = (this.#costMs ?? 0) >= ALONE_MS && !this.#isSole() ? 1 : LEAST;
    return Math.min(this.#max, Math.max(least, size));
  }
}
