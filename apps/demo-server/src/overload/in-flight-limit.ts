import type { DispatcherStats } from '@ticketing/dispatch';

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

/** How long tasks wait for a worker. */
export interface QueueSign {
  /** Milliseconds that the last one in the queue has to wait, at the pace since the last call. */
  read(): number;
}

type Counts = Pick<DispatcherStats, 'queued' | 'running' | 'completed' | 'failed'>;

/** Weight of the latest pace in the moving average. */
const LATEST = 0.3;

/** Reads the queue of a dispatcher, by Little's law: what waits, divided by what is answered in a millisecond. */
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
        // What is answered while nothing waits is what was asked, not what could be answered.
        perMs = undefined;
        return 0;
      }
      perMs = perMs === undefined ? pace : perMs + (pace - perMs) * LATEST;
      return queued / Math.max(perMs, 1e-6);
    },
  };
}

/** Whether all carriers answer late at once, which is no carrier's fault but that of what they share. */
export interface CarriersSign {
  /** Notes how long a carrier took to answer, or had not answered. */
  note(carrier: string, ms: number): void;
  /** How many times later than wanted the carrier is that is the least late; above 1 is too late. */
  read(): number;
}

/** Weight of the latest answer in the moving average. */
const LATEST_ANSWER = 0.2;
/** A carrier may take so many times what it took at best on average, */
const SLOWER = 3;
/** and this part of the deadline is never too late; but more than that part is. */
const ALWAYS_SHARE = 1 / 10;
const NEVER_SHARE = 1 / 2;
/** The best of the last one or two spans counts: carriers may become slow for good. */
const SPAN_MS = 30_000;
/** What was not asked for so long says nothing. */
const SILENT_MS = 1000;

interface Carrier {
  averageMs: number;
  bestMs: number;
  bestBeforeMs: number;
  notedAt: number;
}

/**
 * Watches every carrier. One that hangs, or is slow, says nothing of the load; when even the one that is the least late is late, the
 * network, the machine or the upstream that all share has more to do than it can.
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
