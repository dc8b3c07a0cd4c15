import type { CarrierStatus } from '@ticketing/core';
import type { DispatcherStats } from '@ticketing/dispatch';

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
  /** Notes the carriers of one search that has ended. */
  note(carriers: readonly Pick<CarrierStatus, 'state' | 'ms'>[]): void;
  /** How many times later than wanted the fastest carriers were since the last call; above 1 is too late. */
  read(): number;
}

/** The fastest carrier of a search may take so many times what it took at best, */
const SLOWER = 3;
/** or this part of the deadline, which is never too late; but never more than that part. */
const ALWAYS_SHARE = 1 / 4;
const NEVER_SHARE = 1 / 2;
/** The best of the last one or two spans counts: carriers may become slow for good. */
const SPAN_MS = 30_000;

/**
 * Watches the fastest carrier of each search. One that hangs, or is slow, says nothing of the load; when even the fastest is late the
 * network, the machine or the upstream that all share has more to do than it can.
 */
export function createCarriersSign(
  deadlineMs: number,
  now: () => number = () => performance.now(),
): CarriersSign {
  let best = Number.POSITIVE_INFINITY;
  let bestBefore = Number.POSITIVE_INFINITY;
  let spanEnd = now() + SPAN_MS;
  let [sum, count] = [0, 0];
  let seen = 0;
  return {
    note(carriers) {
      // Others were not asked, or failed at once.
      const asked = carriers.filter(({ state }) => ASKED.has(state));
      if (asked.length === 0) return;
      const fastest = Math.min(...asked.map(({ ms }) => ms));
      best = Math.min(best, fastest);
      sum += fastest;
      count += 1;
    },
    read() {
      if (count > 0) {
        const wanted = Math.max(SLOWER * Math.min(best, bestBefore), ALWAYS_SHARE * deadlineMs);
        seen = sum / count / Math.min(wanted, NEVER_SHARE * deadlineMs);
        [sum, count] = [0, 0];
      }
      if (now() >= spanEnd) {
        [bestBefore, best] = [best, Number.POSITIVE_INFINITY];
        spanEnd = now() + SPAN_MS;
      }
      return seen;
    },
  };
}

const ASKED: ReadonlySet<CarrierStatus['state']> = new Set(['ok', 'empty', 'timeout']);
