import type { ServerResponse } from 'node:http';
import { type CarrierSimId, carrierSimIds } from '../timetable/sim-carriers.ts';

/** Counts of the calls to one carrier. */
export interface RequestCounts {
  /** All calls. */
  readonly arrived: number;
  /** Calls answered to the last byte, with any status. */
  readonly answered: number;
  /** Calls whose connection closed before that. */
  readonly aborted: number;
  /** Calls in flight: `arrived - answered - aborted`. */
  readonly open: number;
  /** The highest `open` so far. */
  readonly mostOpen: number;
  /**
   * Number of calls for each search: `7160000-7171801 2026-12-01` where a wire has such a key, else method, path and body.
   * Of the last 1,000 searches that differ.
   */
  readonly attempts: Readonly<Record<string, number>>;
  /** Calls that arrived in each of the last 60 seconds of the clock `now`, the current one last. */
  readonly perSecond: readonly number[];
}

/** Counts of the calls to a carrier of your own. */
export interface OwnRequestCounts extends RequestCounts {
  /** Calls answered with 500 because the carrier threw, or gave no valid answer. */
  readonly failed: number;
}

/** Counts by carrier; `Own` are the names of your own. */
export type RequestsByCarrier<Own extends string = never> = Record<CarrierSimId, RequestCounts> &
  Record<Own, OwnRequestCounts>;

/** Counts the calls to every carrier. */
export interface RequestLog {
  /** Counts a call now, and its end when it comes. */
  arrive(carrier: string, response: ServerResponse): void;
  /** Counts a search, by what is searched. */
  search(carrier: string, key: string): void;
  /** Counts a failure of a carrier of the user's own. */
  fail(carrier: string): void;
  counts(): Record<string, RequestCounts>;
}

const mostSearches = 1000;
const longestKey = 200;
const seconds = 60;

/** Creates a {@link RequestLog} at zero; `own` are the names of the user's carriers, `now` gives epoch milliseconds. */
export function createRequestLog(own: Iterable<string>, now: () => number): RequestLog {
  const createLog = (isOwn: boolean) => ({
    counts: { arrived: 0, answered: 0, aborted: 0, open: 0, mostOpen: 0 },
    failed: isOwn ? { failed: 0 } : undefined,
    attempts: new Map<string, number>(),
    perSecond: createSecondCounts(now),
  });
  const all = new Map([
    ...carrierSimIds.map((carrier) => [carrier as string, createLog(false)] as const),
    ...[...own].map((carrier) => [carrier, createLog(true)] as const),
  ]);
  return {
    arrive(carrier, response) {
      const log = all.get(carrier);
      if (log === undefined) return;
      const { counts } = log;
      log.perSecond.count();
      counts.arrived += 1;
      counts.open += 1;
      counts.mostOpen = Math.max(counts.mostOpen, counts.open);
      response.once('close', () => {
        counts[response.writableFinished ? 'answered' : 'aborted'] += 1;
        counts.open -= 1;
      });
    },
    search(carrier, text) {
      const attempts = all.get(carrier)?.attempts;
      if (attempts === undefined) return;
      const key = text.slice(0, longestKey);
      const before = attempts.get(key) ?? 0;
      // The map forgets what has not been searched for longest.
      attempts.delete(key);
      attempts.set(key, before + 1);
      const [oldest] = attempts.keys();
      if (attempts.size > mostSearches && oldest !== undefined) attempts.delete(oldest);
    },
    fail(carrier) {
      const failed = all.get(carrier)?.failed;
      if (failed !== undefined) failed.failed += 1;
    },
    counts: () =>
      Object.fromEntries(
        [...all].map(([carrier, { counts, failed, attempts, perSecond }]) => [
          carrier,
          {
            ...counts,
            ...failed,
            attempts: Object.fromEntries(attempts),
            perSecond: perSecond.read(),
          },
        ]),
      ),
  };
}

/** Counts by second, for as long as a minute. */
function createSecondCounts(now: () => number): { count(): void; read(): readonly number[] } {
  const ring = Array.from({ length: seconds }, () => ({ second: Number.NaN, calls: 0 }));
  const slotOf = (second: number) => ring[((second % seconds) + seconds) % seconds];
  const present = (): number => Math.floor(now() / 1000);
  return {
    count() {
      const second = present();
      const slot = slotOf(second);
      if (slot === undefined) return;
      slot.calls = slot.second === second ? slot.calls + 1 : 1;
      slot.second = second;
    },
    read() {
      const last = present();
      return Array.from({ length: seconds }, (_, index) => {
        const second = last - seconds + 1 + index;
        const slot = slotOf(second);
        return slot?.second === second ? slot.calls : 0;
      });
    },
  };
}
