/** What was seen since the last look. */
export interface Signs {
  /** How late timers were on average, in milliseconds: what waits for the event loop. */
  readonly lateMs: number;
  /** How long a task waits for a worker of the dispatcher, in milliseconds. */
  readonly queueMs: number;
  /** How many times later than wanted all carriers answered; above 1 is too late. */
  readonly carriersLate: number;
  /** Requests in flight at most. */
  readonly peak: number;
}

/** How many requests may be in flight. */
export interface InFlightLimit {
  /** An integer from 1, or Infinity. */
  readonly size: number;
  /** Learns from what was seen. To be called at equal intervals of some 100 ms. */
  learn(signs: Signs): void;
}

/** Few enough to be answered in good time by any server, and what is left when every sign is bad. */
export const LEAST = 8;
/** Enough to keep a core busy whose requests wait for carriers; the limit never rests below it. */
export const FIRST = 16;
export const MOST = 1000;
/** Timers that are later than this show more work at a time than the event loop can take. */
export const LATE_MS = 10;
/** Tasks that wait longer than this show more work than the workers can take. */
export const QUEUE_MS = 100;
const GROWTH = 1.2;
const SHRINKAGE = 0.7;
/** Of what was in use the limit keeps so many times, so that a flood after a calm finds no old, high limit. */
const HEADROOM = 2;

/**
 * Creates a limit. A number stays, `off` is none; `auto` follows what waits, not what takes long: the limit falls while the event
 * loop, the dispatcher's queue or what all carriers share is later than wanted, in proportion (a queue is as long as there are requests in it, by Little's
 * law), and rises by a fifth at a time while it is reached and neither is. So a slow carrier costs no client its answer.
 */
export function createInFlightLimit(setting: 'auto' | 'off' | number): InFlightLimit {
  if (setting !== 'auto') {
    return { size: setting === 'off' ? Number.POSITIVE_INFINITY : setting, learn: () => {} };
  }
  let exact = FIRST;
  return {
    get size() {
      return Math.round(exact);
    },
    learn({ lateMs, queueMs, carriersLate, peak }) {
      const excess = Math.max(lateMs / LATE_MS, queueMs / QUEUE_MS, carriersLate);
      if (excess > 1) {
        exact = Math.max(LEAST, Math.min(exact, peak) * Math.max(SHRINKAGE, 1 / excess));
      } else if (peak >= Math.round(exact) || exact < FIRST) {
        exact = Math.min(MOST, exact * Math.min(GROWTH, 1 / excess) + 0.5);
      } else {
        exact = Math.max(FIRST, Math.min(exact, peak * HEADROOM));
      }
    },
  };
}
