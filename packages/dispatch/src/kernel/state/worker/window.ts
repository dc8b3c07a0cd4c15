/** Bound of the calls that a worker holds at a time. */
export interface Window {
  /** An integer. */
  readonly size: number;
  /** Adapts to the latest load of the worker. */
  record(load: WindowLoad): void;
}

/** Load of a worker since the last one. */
export interface WindowLoad {
  /** Milliseconds elapsed, and milliseconds in which the worker's event loop was not idle. */
  readonly elapsedMs: number;
  readonly activeMs: number;
  /** Calls answered. */
  readonly done: number;
  /** True if calls waited because the window of the worker was full. */
  readonly starved: boolean;
  /** Milliseconds that the answered calls ran, all together; more than `elapsedMs` if they ran side by side. */
  readonly runMs: number;
  /** Bytes of calls or of answers, whichever were more; 0 where they do not matter. */
  readonly bytes: number;
}

/** Milliseconds of work that a worker has before it: enough to bridge the way to the next call. */
const AHEAD_MS = 1.5;
/** One call to work on, one that waits in its process: else it would be idle until the next arrives. */
const LEAST = 2;
/** Milliseconds of work per call from which on the wait for the next call is negligible, and a wait behind another call is long. */
const ALONE_MS = 4;
/** Busy shares of a worker: below the first it is idle, from the second on it is full, and between them nothing changes. */
const IDLE = 0.9;
const FULL = 0.97;
/** Factor of one step of growth. A window of 2 or more grows by at least one call. */
const GROWTH = 1.5;
const SHRINKAGE = 0.25;
/** Weight of the latest load in the moving average. */
const LATEST = 0.3;

interface AutoBounds {
  readonly first: number;
  readonly max: number;
  /** Bytes of waiting calls that the way to the worker has room for. Default: any number. */
  readonly bytes?: number;
  /** Returns true if no other worker could take waiting calls: then a window of 1 gains nothing. Default: there are others. */
  readonly isSole?: () => boolean;
}

/**
 * Creates the window of one worker. A number is kept. `auto` begins with `first`, stays within 2 to `max`, and follows the load:
 * tasks that keep the worker busy fill 1.5 ms of work; from 4 ms per task on the window is 1, because a call in a worker's
 * window moves to another worker only once that worker is held up (the only worker keeps 2). Tasks that wait for something
 * else leave the worker idle: the window grows while calls are queued. Large values leave it idle too, if they fill the way to it:
 * beside the calls that run, it holds no more than that has room for.
 */
export function createWindow(setting: 'auto' | number, bounds: AutoBounds): Window {
  return setting === 'auto' ? new AutoWindow(bounds) : { size: setting, record: () => {} };
}

class AutoWindow implements Window {
  readonly #max: number;
  readonly #room: number;
  readonly #isSole: () => boolean;
  /** Size that is not rounded, so that small steps add up. */
  #exact: number;
  /** Milliseconds of work per call, on average. */
  #costMs: number | undefined;
  /** Bytes per call, on average. */
  #bytes = 0;
  /** Calls that run at a time: in the latest load, or on average if that is more. */
  #running = 0;

  constructor({ first, max, bytes, isSole = () => false }: AutoBounds) {
    this.#max = max;
    this.#room = bytes ?? Number.POSITIVE_INFINITY;
    this.#isSole = isSole;
    this.#exact = this.#clamp(first);
  }

  get size(): number {
    return Math.round(this.#exact);
  }

  record({ elapsedMs, activeMs, done, starved, runMs, bytes }: WindowLoad): void {
    // A worker's clock may stand still between two reports; they show nothing then.
    if (!(elapsedMs > 0 && activeMs >= 0 && runMs >= 0)) return;
    if (done > 0) {
      this.#costMs = averaged(this.#costMs ?? activeMs / done, activeMs / done);
      this.#bytes = averaged(this.#bytes, bytes / done);
    }
    const running = Math.min(this.#max, runMs / elapsedMs);
    this.#running = Math.max(running, averaged(this.#running, running));
    const floor = this.#clamp(this.#costMs === undefined ? 0 : AHEAD_MS / this.#costMs);
    const busy = activeMs / elapsedMs;
    let size = this.#exact;
    if (busy < IDLE && starved) size *= GROWTH;
    else if (busy >= FULL) size -= (size - floor) * SHRINKAGE;
    const most = this.#running + this.#room / Math.max(1, this.#bytes);
    this.#exact = this.#clamp(Math.min(Math.max(size, floor), most));
  }

  #clamp(size: number): number {
    const least = (this.#costMs ?? 0) >= ALONE_MS && !this.#isSole() ? 1 : LEAST;
    return Math.min(this.#max, Math.max(least, size));
  }
}

function averaged(before: number, latest: number): number {
  return before + (latest - before) * LATEST;
}
