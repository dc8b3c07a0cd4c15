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
  const zero = (): RequestCounts => ({
    arrived: 0,
    answered: 0,
    aborted: 0,
    open: 0,
    mostOpen: 0,
  });
  const all = perCarrier(zero);
  const add = (carrier: CarrierSimId, change: Partial<RequestCounts>): void => {
    const { arrived, answered, aborted, mostOpen } = all[carrier];
    const counts = {
      arrived: arrived + (change.arrived ?? 0),
      answered: answered + (change.answered ?? 0),
      aborted: aborted + (change.aborted ?? 0),
    };
    const open = counts.arrived - counts.answered - counts.aborted;
    all[carrier] = { ...counts, open, mostOpen: Math.max(mostOpen, open) };
  };
  return {
    arrive(carrier, response) {
      add(carrier, { arrived: 1 });
      response.once('close', () => {
        add(carrier, response.writableFinished ? { answered: 1 } : { aborted: 1 });
      });
    },
    counts: () => ({ ...all }),
  };
}
