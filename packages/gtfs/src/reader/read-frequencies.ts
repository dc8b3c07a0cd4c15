import { readTime, readWhole } from '../files/field-values.ts';
import { readRows } from '../files/read-rows.ts';
import type { Reading } from '../files/reading.ts';

const FILE = 'frequencies.txt';

/** Departures of a trip at equal intervals, the last one before `until`. Seconds. */
export interface Frequency {
  readonly from: number;
  readonly until: number;
  readonly headway: number;
}

const columns = {
  required: ['trip_id', 'start_time', 'end_time', 'headway_secs'],
  optional: [],
};

/** Reads how often trips run, by row of the trip. */
export async function readFrequencies(
  reading: Reading,
  tripOf: ReadonlyMap<string, number | undefined>,
): Promise<ReadonlyMap<number, readonly Frequency[]>> {
  const byTrip = new Map<number, Frequency[]>();
  if (!reading.files.has(FILE)) return byTrip;
  const onRow = ([id = '', start = '', end = '', every = '']: readonly string[]):
    | string
    | undefined => {
    const trip = tripOf.get(id);
    const from = readTime(start);
    const until = readTime(end);
    const headway = readWhole(every);
    if (!tripOf.has(id)) return 'of an unknown trip';
    if (from < 0 || until <= from) return 'with times that are no interval';
    if (headway === undefined || headway === 0) {
      return 'with a headway that is no number of seconds';
    }
    if (trip === undefined) return undefined;
    const list = byTrip.get(trip) ?? [];
    byTrip.set(trip, list);
    list.push({ from, until, headway });
    return undefined;
  };
  await readRows(reading, FILE, { columns, onRow });
  return byTrip;
}
