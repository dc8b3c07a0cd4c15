import { GtfsError } from '../errors.ts';
import { NO_ALIGHTING, NO_BOARDING } from '../feed/feed.ts';
import type { FeedLimits } from '../files/feed-limits.ts';
import { BAD_TIME, NO_TIME, readTime, readWhole } from '../files/field-values.ts';
import { type GrowingColumn, growColumn } from '../files/growing-column.ts';
import { readRows } from '../files/read-rows.ts';
import type { Reading } from '../files/reading.ts';

const FILE = 'stop_times.txt';

/** Stop times in the order of their file. */
export interface StopTimeRows {
  readonly trips: GrowingColumn;
  readonly sequences: GrowingColumn;
  readonly stops: GrowingColumn;
  readonly arrivals: GrowingColumn;
  readonly departures: GrowingColumn;
  readonly flags: GrowingColumn;
}

const columns = {
  required: ['trip_id', 'stop_id', 'stop_sequence', 'arrival_time', 'departure_time'],
  optional: ['pickup_type', 'drop_off_type'],
};

/**
 * Reads the stop times of the trips that are wanted.
 *
 * @throws GtfsError `ERR_GTFS_TOO_LARGE` beyond `maxStopTimes`
 */
export async function readStopTimes(
  reading: Reading,
  {
    tripOf,
    stopOf,
    limits: { maxStopTimes },
  }: {
    readonly tripOf: ReadonlyMap<string, number | undefined>;
    readonly stopOf: ReadonlyMap<string, number>;
    readonly limits: FeedLimits;
  },
): Promise<StopTimeRows> {
  const rows: StopTimeRows = {
    trips: growColumn(),
    sequences: growColumn(),
    stops: growColumn(),
    arrivals: growColumn(),
    departures: growColumn(),
    flags: growColumn(),
  };
  const tripRowOf = lastFound(tripOf);
  const onRow = (values: readonly string[]): string | undefined => {
    const trip = tripRowOf(values[0] as string);
    if (trip === undefined) return undefined;
    if (trip < 0) return 'of an unknown trip';
    const stop = stopOf.get(values[1] as string);
    const sequence = readWhole(values[2] as string);
    const arrival = readTime(values[3] as string);
    const departure = readTime(values[4] as string);
    if (stop === undefined) return 'at an unknown stop';
    if (sequence === undefined) return 'with a sequence that is no number';
    if (arrival === BAD_TIME || departure === BAD_TIME) {
      return 'with a time that cannot be read';
    }
    if (rows.trips.length === maxStopTimes) throw tooMany(maxStopTimes);
    rows.trips.push(trip);
    rows.sequences.push(sequence);
    rows.stops.push(stop);
    rows.arrivals.push(arrival === NO_TIME ? departure : arrival);
    rows.departures.push(departure === NO_TIME ? arrival : departure);
    rows.flags.push((values[5] === '1' ? NO_BOARDING : 0) | (values[6] === '1' ? NO_ALIGHTING : 0));
    return undefined;
  };
  await readRows(reading, FILE, { columns, onRow });
  return rows;
}

/** @returns the error for a feed with more stop times than the option allows */
export function tooMany(maxStopTimes: number): GtfsError {
  const message = `it has more than \`maxStopTimes\` (${maxStopTimes}) stop times (frequencies count for each run); choose fewer \`modes\` or \`days\`, or raise it`;
  return new GtfsError('ERR_GTFS_TOO_LARGE', message, { file: FILE, limit: maxStopTimes });
}

/**
 * Returns a look-up that keeps the last answer: rows of a trip follow each other. -1: no such trip; `undefined`: one that is not
 * wanted.
 */
function lastFound(
  tripOf: ReadonlyMap<string, number | undefined>,
): (id: string) => number | undefined {
  let lastId: string | undefined;
  let last: number | undefined;
  return (id) => {
    if (id === lastId) return last;
    lastId = id;
    last = tripOf.has(id) ? tripOf.get(id) : -1;
    return last;
  };
}
