import { type Feed, type GtfsStop, readGtfs, type StopCode } from '@ticketing/gtfs';

const DAY_MS = 86_400_000;
/** Days from yesterday on: a search may ask for a year. */
const DAYS = 400;

/** Returns a function that reads the timetable: a file, or the European network of the simulator, as its operators would publish it. */
export function timetableLoader(now: () => number, file: string | undefined): () => Promise<Feed> {
  return async () => {
    if (file !== undefined) return readGtfs(file);
    const { createGtfsZip } = await import('@ticketing/carrier-sim/gtfs');
    const from = new Date(now() - DAY_MS).toISOString().slice(0, 10);
    return readGtfs(createGtfsZip({ from, days: DAYS }));
  };
}

/** Ids of its stops are UIC codes. */
export function uicCode({ id }: GtfsStop): StopCode {
  return { system: 'uic', code: id };
}
