/** Signs of load since the last sample. */
export interface Signs {
  /** Average lateness of timers in milliseconds: the wait for the event loop. */
  readonly lateMs: number;
  /** Wait of a task for a worker, in milliseconds. */
  readonly queueMs: number;
  /** Lateness of all that the server asks, as a multiple of the accepted time: above 1 is too late. */
  readonly upstreamLate: number;
}

interface Sample extends Signs {
  /** The most requests that were in flight. */
  readonly peak: number;
}

/** A limit of the requests in flight. */
export interface InFlightLimit {
  /** An integer from 1, or Infinity. */
  readonly size: number;
  /** Adapts the limit. Call it at equal intervals of about 100 ms. */
  learn(sample: Sample): void;
  /** An integer to which it may grow before the next sample: not above the size after a sample in which workers or upstreams showed load. */
  readonly most: number;
  /** Grows at once to this size, at most to `most`. */
  grow(size: number): void;
}

/** The limit under the worst load: so few that any server answers them in time. */
export const LEAST = 8;
/** Enough requests that wait for others to keep a core busy. Without load the limit returns to it at least. */
export const FIRST = 16;
export const MOST = 1000;
/** Timers that are later than this show an overloaded event loop. */
export const LATE_MS = 10;
/** Tasks that wait longer than this show overloaded workers. */
export const QUEUE_MS = 100;
const GROWTH = 1.2;
const SHRINKAGE = 0.7;
/** Most growth between two samples: the next one shows whether it was too much. */
const BURST_GROWTH = 4;
/** The limit shrinks to this multiple of what was in use, so that a flood after a calm does not meet an old, high limit. */
const HEADROOM = 2;

/**
 * Creates a limit. A number is fixed, `off` is no limit. `auto` follows what waits, not what takes long: the limit falls
 * in proportion (by Little's law) while the event loop, the queue of the workers or all upstreams are later than accepted, and
 * rises by a fifth at a time while it is reached and none of them is late. So one slow upstream has no request refused.
 */
export function createInFlightLimit(setting: 'auto' | 'off' | number): InFlightLimit {
  if (setting !== 'auto') {
    const size = setting === 'off' ? Number.POSITIVE_INFINITY : setting;
    return { size, most: size, learn: () => {}, grow: () => {} };
  }
  let exact = FIRST;
  let most = FIRST * BURST_GROWTH;
  return {
    get size() {
      return Math.round(exact);
    },
    get most() {
      return most;
    },
    learn({ lateMs, queueMs, upstreamLate, peak }) {
      const excess = Math.max(lateMs / LATE_MS, queueMs / QUEUE_MS, upstreamLate);
      if (excess > 1) {
        exact = Math.max(LEAST, Math.min(exact, peak) * Math.max(SHRINKAGE, 1 / excess));
      } else if (peak >= Math.round(exact) || exact < FIRST) {
        exact = Math.min(MOST, exact * Math.min(GROWTH, 1 / excess) + 0.5);
      } else {
        exact = Math.max(FIRST, Math.min(exact, peak * HEADROOM));
      }
      const isCalm = queueMs <= QUEUE_MS && upstreamLate <= 1;
      most = isCalm ? Math.min(MOST, Math.round(Math.max(FIRST, exact)) * BURST_GROWTH) : 0;
    },
    grow(size) {
      exact = Math.max(exact, Math.min(size, most));
    },
  };
}
