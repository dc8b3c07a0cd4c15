import {
  aFunction,
  MAX_TIMER_MS,
  type Rules,
  required,
  resolveByRules,
  whole,
  wholeBetween,
} from '@ticketing/kit';
import {
  type AdmissionStats,
  type Applicant,
  createApplicantQueue,
  eventLoop,
} from './applicant-queue.ts';
import { type EventLoopStats, watchEventLoop } from './event-loop-watch.ts';
import { createInFlightLimit, type Signs } from './in-flight-limit.ts';

export interface AdmissionOptions {
  /** Milliseconds that a request may take from its arrival, an integer of 1 to 2^31-1. */
  readonly deadlineMs: number;
  /**
   * Most requests in flight: an integer from 1; `auto` adapts it to the signs of load, from 8 to 1000; `off` is no limit.
   * Default `auto`.
   */
  readonly maxInFlight?: 'auto' | 'off' | number;
  /** Returns true if work of this key is under way that a request can join. Such a request begins at once. Default: none is. */
  readonly isUnderWay?: (key: string) => boolean;
  /**
   * Returns signs of load besides the event loop of this thread, or instead of it (`lateMs`). It is called ten times per second, and
   * must not throw. Default: none.
   */
  readonly signs?: () => Partial<Signs>;
}

/** Decides which requests begin, and when. */
export interface Admission {
  /**
   * Takes a request, and begins or refuses it, once. It begins at once only if it joins work under way. Returns a function that the
   * caller must call when the client has its answer or has left.
   */
  apply(applicant: Applicant): () => void;
  /** Notes a new connection, whose request may arrive next. */
  connected(): void;
  /**
   * Returns the earliest time at which bytes that are read now can have arrived, on the clock of `performance.now()`: while the
   * event loop is blocked they wait in the socket.
   */
  arrivedAt(): number;
  stats(): AdmissionStats;
  /** Returns the load of the event loop, in the last whole second. */
  eventLoop(): EventLoopStats;
  /** Ends the measurements: the limit stays, and requests still begin in their order. Further calls do nothing. */
  close(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

type ResolvedAdmissionOptions = Required<AdmissionOptions>;

const rules = {
  deadlineMs: required(wholeBetween(1, MAX_TIMER_MS)),
  maxInFlight: {
    expected: 'auto, off or an integer of 1 or more',
    fallback: 'auto',
    range: true,
    test: (value) => value === 'auto' || value === 'off' || whole().test(value),
  },
  isUnderWay: { ...aFunction, fallback: () => false },
  signs: { ...aFunction, fallback: () => ({}) },
} satisfies Rules;

/**
 * Creates an admission. Requests wait in one queue, in the order of arrival, and begin in a later turn of the event loop, a few per
 * turn: so all arrivals are read first, and requests that cannot begin in time are refused at once.
 *
 * @throws TypeError or RangeError for options that are unknown, missing or out of range
 * @example
 * const admission = createAdmission({ deadlineMs: 2000 });
 * const server = createServer(listener);
 * admitRequests(server, { admission });
 */
export function createAdmission(options: AdmissionOptions): Admission {
  const { deadlineMs, maxInFlight, isUnderWay, signs } = resolveByRules<ResolvedAdmissionOptions>(
    'create admission',
    options,
    rules,
  );
  const limit = createInFlightLimit(maxInFlight);
  const queue = createApplicantQueue({
    limit,
    deadlineMs,
    isUnderWay,
    lateMs: () => watch.lateMs(),
    ...eventLoop,
  });
  const watch = watchEventLoop((lateMs) => {
    const given = signs();
    limit.learn({
      lateMs: finite(given.lateMs ?? lateMs),
      queueMs: finite(given.queueMs),
      upstreamLate: finite(given.upstreamLate),
      peak: queue.look(),
    });
  });
  return {
    apply: (applicant) => queue.apply(applicant),
    connected: () => queue.connected(),
    arrivedAt: watch.arrivedAt,
    stats: () => queue.stats(),
    eventLoop: watch.stats,
    close: watch.close,
    [Symbol.asyncDispose]: async () => watch.close(),
  };
}

/** Returns a sign that no calculation of its user can turn into a limit that is no number. */
function finite(sign = 0): number {
  return Number.isNaN(sign) ? 0 : Math.min(sign, Number.MAX_VALUE);
}
