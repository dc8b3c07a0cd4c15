import type { DispatcherStats } from '@ticketing/dispatch';

/** Load since the last sample. */
export interface Signs {
  /** How late timers were on average, in milliseconds: the wait for the event loop. */
  readonly lateMs: number;
  /** How long a task waits for a worker of the dispatcher, in milliseconds. */
  readonly queueMs: number;
  /** How late all carriers answered, as a multiple of what is wanted: above 1 is too late. */
  readonly carriersLate: number;
  /** The most requests that were in flight. */
  readonly peak: number;
}

/** A limit of the requests in flight. */
export interface InFlightLimit {
  /** An integer from 1, or Infinity. */
  readonly size: number;
  /** Adapts the limit. Call it at equal intervals of about 100 ms. */
  learn(signs: Signs): void;
}

/** The limit under the worst load: so few that any server answers them in time. */
export const LEAST = 8;
/** Enough requests that wait for carriers to keep a core busy. Without load the limit returns to it at least. */
export const FIRST = 16;
export const MOST = 1000;
/** Timers that are later than this show an overloaded event loop. */
export const LATE_MS = 10;
/** Tasks that wait longer than this show overloaded workers. */
export const QUEUE_MS = 100;
const GROWTH = 1.2;
const SHRINKAGE = 0.7;
/** The limit shrinks to this multiple of what was in use, so that a flood after a calm does not meet an old, high limit. */
const HEADROOM = 2;

/**
 * Creates a limit. A number is fixed, `off` is no limit. `auto` follows what waits, not what takes long: the limit falls
 * in proportion (by Little's law) while the event loop, the dispatcher's queue or all carriers are later than wanted, and
 * rises by a fifth at a time while it is reached and none of them is late. So one slow carrier has no request refused.
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

/** The wait of tasks for a worker. */
export interface QueueSign {
  /** Returns the milliseconds that the last task in the queue will wait, at the pace since the last call. */
  read(): number;
}

type Counts = Pick<DispatcherStats, 'queued' | 'running' | 'completed' | 'failed'>;

/** Weight of the latest pace in the moving average. */
const LATEST = 0.3;

/** Reads the queue of a dispatcher, by Little's law: tasks that wait, divided by tasks that end per millisecond. */
export function createQueueSign(
  counts: () => Counts,
  now: () => number = () => performance.now(),
): QueueSign {
  let [at, done] = [now(), 0];
  let perMs: number | undefined;
  return {
    read() {
      const { queued, completed, failed } = counts();
      const elapsedMs = Math.max(1, now() - at);
      const pace = (completed + failed - done) / elapsedMs;
      at += elapsedMs;
      done = completed + failed;
      if (queued === 0) {
        // While nothing waits, the pace is that of the requests, not what the workers can do.
        perMs = undefined;
        return 0;
      }
      perMs = perMs === undefined ? pace : perMs + (pace - perMs) * LATEST;
      return queued / Math.max(perMs, 1e-6);
    },
  };
}

/** Whether all carriers answer late at once: then the cause is what they share, not a carrier. */
export interface CarriersSign {
  /** Notes the milliseconds that a carrier took to answer, or had taken when it was aborted. */
  note(carrier: string, ms: number): void;
  /** Returns how late the least late carrier is, as a multiple of what is wanted: above 1 is too late. */
  read(): number;
}

/** Weight of the latest answer in the moving average. */
const LATEST_ANSWER = 0.2;
/** A carrier is late beyond this multiple of its best average. */
const SLOWER = 3;
/** Shares of the deadline: an answer within the first is never late, one beyond the second always is. */
const ALWAYS_SHARE = 1 / 10;
const NEVER_SHARE = 1 / 2;
/** The best average of the last one or two spans counts, since carriers may become slow for good. */
const SPAN_MS = 30_000;
/** A carrier that was not asked for this time is ignored. */
const SILENT_MS = 1000;

interface Carrier {
  averageMs: number;
  bestMs: number;
  bestBeforeMs: number;
  notedAt: number;
}

/**
 * Watches every carrier. A single slow carrier is no sign of load. When even the least late one is late, what they share (the
 * network, the machine, the upstream) is overloaded.
 */
export function createCarriersSign(
  deadlineMs: number,
  now: () => number = () => performance.now(),
): CarriersSign {
  const carriers = new Map<string, Carrier>();
  let spanEnd = now() + SPAN_MS;

  function latenessOf({ averageMs, bestMs, bestBeforeMs }: Carrier): number {
    const best = Math.min(bestMs, bestBeforeMs);
    const wanted = Math.max(SLOWER * best, ALWAYS_SHARE * deadlineMs);
    return averageMs / Math.min(wanted, NEVER_SHARE * deadlineMs);
  }

  return {
    note(name, ms) {
      const notedAt = now();
      const carrier = carriers.get(name);
      if (carrier === undefined) {
        carriers.set(name, { averageMs: ms, bestMs: ms, bestBeforeMs: ms, notedAt });
        return;
      }
      carrier.averageMs += (ms - carrier.averageMs) * LATEST_ANSWER;
      carrier.bestMs = Math.min(carrier.bestMs, carrier.averageMs);
      carrier.notedAt = notedAt;
    },
    read() {
      const at = now();
      if (at >= spanEnd) {
        spanEnd = at + SPAN_MS;
        for (const carrier of carriers.values()) {
          carrier.bestBeforeMs = carrier.bestMs;
          carrier.bestMs = carrier.averageMs;
        }
      }
      const heard = [...carriers.values()].filter(({ notedAt }) => at - notedAt < SILENT_MS);
      return heard.length === 0 ? 0 : Math.min(...heard.map(latenessOf));
    },
  };
}
