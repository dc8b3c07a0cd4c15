import type { ServerResponse } from 'node:http';
import { type CarrierSimId, perCarrier } from '../timetable/sim-carriers.ts';

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

/** Counts the calls to every carrier. */
export interface RequestLog {
  /** Counts a call now, and its end when it comes. */
  arrive(carrier: CarrierSimId, response: ServerResponse): void;
  counts(): Record<CarrierSimId, RequestCounts>;
}

/** Creates a {@link RequestLog} at zero. */
export function createRequestLog(): RequestLog {
  const all = perCarrier(() => ({ arrived: 0, answered: 0, aborted: 0, open: 0, mostOpen: 0 }));
  return {
    arrive(carrier, response) {
      const counts = all[carrier];
      counts.arrived += 1;
      counts.open += 1;
      counts.mostOpen = Math.max(counts.mostOpen, counts.open);
      response.once('close', () => {
        counts[response.writableFinished ? 'answered' : 'aborted'] += 1;
        counts.open -= 1;
      });
    },
    counts: () => perCarrier((carrier) => ({ ...all[carrier] })),
  };
}
