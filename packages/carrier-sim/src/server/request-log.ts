import type { ServerResponse } from 'node:http';
import { type CarrierSimId, carrierSimIds } from '../timetable/sim-carriers.ts';

/** Counts of the calls to one carrier. */
export interface RequestCounts {
  /** All calls. */
  readonly arrived: number;
  /** Those answered to the last byte, with any status. */
  readonly answered: number;
  /** Those whose connection closed before that. */
  readonly aborted: number;
  /** Those in flight: `arrived - answered - aborted`. */
  readonly open: number;
  /** The highest `open` so far. */
  readonly mostOpen: number;
}

/** Counts of the calls to a carrier of your own. */
export interface OwnRequestCounts extends RequestCounts {
  /** Those answered with 500 because it threw, or answered what is no answer. */
  readonly failed: number;
}

/** Counts by carrier; `Own` are the names of your own. */
export type RequestsByCarrier<Own extends string = never> = Record<CarrierSimId, RequestCounts> &
  Record<Own, OwnRequestCounts>;

/** Counts the calls to every carrier. */
export interface RequestLog {
  /** Counts a call now, and its end when it comes. */
  arrive(carrier: string, response: ServerResponse): void;
  /** Counts a failure of a carrier of the user's own. */
  fail(carrier: string): void;
  counts(): Record<string, RequestCounts>;
}

/** Creates a {@link RequestLog} at zero; `own` are the names of the user's carriers. */
export function createRequestLog(own: Iterable<string>): RequestLog {
  const zero = { arrived: 0, answered: 0, aborted: 0, open: 0, mostOpen: 0 };
  const all = new Map<string, typeof zero & { failed?: number }>([
    ...carrierSimIds.map((carrier) => [carrier, { ...zero }] as const),
    ...[...own].map((carrier) => [carrier, { ...zero, failed: 0 }] as const),
  ]);
  return {
    arrive(carrier, response) {
      const counts = all.get(carrier);
      if (counts === undefined) return;
      counts.arrived += 1;
      counts.open += 1;
      counts.mostOpen = Math.max(counts.mostOpen, counts.open);
      response.once('close', () => {
        counts[response.writableFinished ? 'answered' : 'aborted'] += 1;
        counts.open -= 1;
      });
    },
    fail(carrier) {
      const counts = all.get(carrier);
      if (counts !== undefined) counts.failed = (counts.failed ?? 0) + 1;
    },
    counts: () => Object.fromEntries([...all].map(([carrier, counts]) => [carrier, { ...counts }])),
  };
}
