import { BY_FREQUENCY, type RunTable } from '../feed/feed.ts';
import type { Frequency } from '../reader/read-frequencies.ts';
import { tooMany } from '../reader/read-stop-times.ts';
import type { OrderedStopTimes } from './build-stop-times.ts';

/** Runs of all trips, and the first run of each. */
export interface Runs extends RunTable {
  readonly firstRuns: Int32Array;
}

/**
 * Makes one run of each trip, and of one with frequencies as many as there are: a trip's own times then only say how long it takes.
 *
 * @throws GtfsError `ERR_GTFS_TOO_LARGE` when the runs have more stop times than `maxStopTimes`
 */
export function buildRuns(
  { firstRows, departures }: OrderedStopTimes,
  frequencies: ReadonlyMap<number, readonly Frequency[]>,
  maxStopTimes: number,
): Runs {
  const tripCount = firstRows.length - 1;
  const [trips, shifts, flags]: [number[], number[], number[]] = [[], [], []];
  const firstRuns = new Int32Array(tripCount + 1);
  let stopTimes = 0;
  const add = (trip: number, shift: number, flag: number): void => {
    stopTimes += (firstRows[trip + 1] as number) - (firstRows[trip] as number);
    if (stopTimes > maxStopTimes) throw tooMany(maxStopTimes);
    trips.push(trip);
    shifts.push(shift);
    flags.push(flag);
  };
  for (let trip = 0; trip < tripCount; trip++) {
    firstRuns[trip] = trips.length;
    const first = firstRows[trip] as number;
    if (first === firstRows[trip + 1]) continue;
    const intervals = frequencies.get(trip);
    if (intervals === undefined) add(trip, 0, 0);
    for (const { from, until, headway } of intervals ?? []) {
      for (let start = from; start < until; start += headway) {
        add(trip, start - (departures[first] as number), BY_FREQUENCY);
      }
    }
  }
  firstRuns[tripCount] = trips.length;
  return {
    firstRuns,
    trips: Int32Array.from(trips),
    shifts: Int32Array.from(shifts),
    flags: Uint8Array.from(flags),
  };
}
