import { addDays, isLocalDate } from '@ticketing/core';
import {
  aName,
  aSignal,
  aUrl,
  type Filled,
  type Rule,
  resolveByRules,
  wholeBetween,
  wrongOption,
} from '@ticketing/kit';
import { GtfsError } from './errors.ts';
import type { Feed } from './feed/feed.ts';
import { activeServices } from './feed/service-days.ts';
import { dayOf } from './files/field-values.ts';
import { countLeftOut } from './files/left-out.ts';
import { type FeedFiles, openZip } from './files/open-zip.ts';
import { readFrequencies } from './reader/read-frequencies.ts';
import { readServices } from './reader/read-services.ts';
import { readStopTimes } from './reader/read-stop-times.ts';
import { readStops } from './reader/read-stops.ts';
import { readTransfers } from './reader/read-transfers.ts';
import { readAgencies, readRoutes, readTrips } from './reader/read-trips.ts';
import { GTFS_MODES, type GtfsMode } from './reader/route-modes.ts';
import { buildFeed } from './timetable/build-feed.ts';

const REQUIRED_FILES = ['agency.txt', 'stops.txt', 'routes.txt', 'trips.txt', 'stop_times.txt'];
const OPTIONAL_FILES = ['calendar.txt', 'calendar_dates.txt', 'frequencies.txt', 'transfers.txt'];

/** Days before the first whose trips are kept too: some of them end after midnight, and night trains one day later. */
const DAYS_BEFORE = 2;

/** Options of `readGtfs`. */
export interface ReadGtfsOptions {
  /** Kinds of vehicles that are kept. Default: all. */
  readonly modes?: readonly GtfsMode[] | undefined;
  /** First day on which a trip must run to be kept, `YYYY-MM-DD`. Default: all trips are kept. */
  readonly from?: string | undefined;
  /** Days from `from` on, 1 to 400. Default 60. */
  readonly days?: number | undefined;
  /** Minutes of a change at a station for which the feed has no rule, 0 to 120. Default 3. */
  readonly changeMinutes?: number | undefined;
  /** Most stop times that are kept; a frequency counts for each run. Default 20,000,000. */
  readonly maxStopTimes?: number | undefined;
  /** Bytes of all files, unpacked. Default 2 GiB. */
  readonly maxUnpackedBytes?: number | undefined;
  /** Unpacked bytes per packed byte, for files of more than 1 MiB. Default 200. */
  readonly maxRatio?: number | undefined;
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined;
}

type Resolved = Filled<Omit<ReadGtfsOptions, 'modes' | 'from' | 'signal'>> &
  Pick<ReadGtfsOptions, 'modes' | 'from' | 'signal'>;

const READ = 'read feed';
const aSource: Rule = {
  expected: 'bytes, a path or a file URL',
  test: (value) =>
    value instanceof Uint8Array ||
    aName.test(value) ||
    (aUrl.test(value) && String(value).startsWith('file:')),
};
const someModes: Rule = {
  expected: `some of ${GTFS_MODES.join(', ')}`,
  test: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => GTFS_MODES.includes(one)),
};
const aDate: Rule = {
  expected: 'a day as YYYY-MM-DD',
  test: (value) => typeof value === 'string' && isLocalDate(value),
};
const rules = {
  modes: someModes,
  from: aDate,
  days: wholeBetween(1, 400, 60),
  changeMinutes: wholeBetween(0, 120, 3),
  maxStopTimes: wholeBetween(1, 200_000_000, 20_000_000),
  maxUnpackedBytes: wholeBetween(1, Number.MAX_SAFE_INTEGER, 2 * 1024 ** 3),
  maxRatio: wholeBetween(1, 1_000_000, 200),
  signal: aSignal,
};

/**
 * Reads a GTFS timetable from a zip: bytes in memory, or a path. Files are unpacked and read in pieces, and only columns are kept. Rows
 * that cannot be read are left out and counted in `leftOut`. The columns are built in one go at the end: some 0.5 s per million stop times.
 *
 * @throws GtfsError for a feed that cannot be read, TypeError or RangeError for a wrong option, the reason of `signal`
 * @example
 * const feed = await readGtfs('./feed.zip', { modes: ['train'], from: '2026-12-01' });
 * feed.leftOut; // rows that were left out, by file and reason
 */
export async function readGtfs(
  source: Uint8Array | string | URL,
  options: ReadGtfsOptions = {},
): Promise<Feed> {
  if (!aSource.test(source)) throw wrongOption(READ, 'source', aSource, source);
  const resolved = resolveByRules<Resolved>(READ, options, rules);
  if (options.days !== undefined && options.from === undefined) {
    throw wrongOption(READ, 'from', { expected: 'given beside `days`' }, undefined);
  }
  const files = await openZip(source, [...REQUIRED_FILES, ...OPTIONAL_FILES], resolved);
  try {
    checkFiles(files);
    return await readFiles(files, resolved);
  } finally {
    files.close();
  }
}

/** @throws GtfsError `ERR_GTFS_MISSING_FILE` */
function checkFiles(files: FeedFiles): void {
  const file = REQUIRED_FILES.find((name) => !files.has(name));
  if (file !== undefined) {
    throw new GtfsError('ERR_GTFS_MISSING_FILE', `the zip has no ${file}, or an empty one`, {
      file,
    });
  }
  if (files.has('calendar.txt') || files.has('calendar_dates.txt')) return;
  const message = 'the zip has neither calendar.txt nor calendar_dates.txt';
  throw new GtfsError('ERR_GTFS_MISSING_FILE', message, { file: 'calendar.txt' });
}

async function readFiles(files: FeedFiles, options: Resolved): Promise<Feed> {
  const { signal } = options;
  const leftOut = countLeftOut();
  const reading = { files, leftOut, signal };
  const agencies = await readAgencies(reading);
  const stops = await readStops(reading);
  const routes = await readRoutes(reading, agencies, options.modes);
  const services = await readServices(reading);
  const wanted = wantedServices(services, options);
  const trips = await readTrips(reading, {
    routes,
    serviceOf: services.rowOf,
    isWanted: (service) => wanted === undefined || wanted[service] === 1,
  });
  const ids = { stopOf: stops.rowOf, tripOf: trips.rowOf };
  const frequencies = await readFrequencies(reading, trips.rowOf);
  const transfers = await readTransfers(reading, ids);
  const stopTimes = await readStopTimes(reading, { ...ids, limits: options });
  const { maxStopTimes, changeMinutes, from, days } = options;
  const rows = { stops, agencies, routes, services, trips, stopTimes, frequencies, transfers };
  const feed = buildFeed(rows, { maxStopTimes, changeSeconds: changeMinutes * 60 }, leftOut);
  if (from === undefined) return feed;
  // Of other days some trips are missing.
  const until = addDays(from, days - 1);
  return {
    ...feed,
    ...(from > feed.firstDate && { firstDate: from }),
    ...(until < feed.lastDate && { lastDate: until }),
  };
}

/** Returns the services that run on at least one wanted day, `undefined` if all are wanted. */
function wantedServices(
  services: Parameters<typeof activeServices>[0],
  { from, days }: Resolved,
): Uint8Array | undefined {
  if (from === undefined) return undefined;
  const first = dayOf(from) as number;
  const wanted = new Uint8Array(services.firstDays.length);
  for (let day = first - DAYS_BEFORE; day < first + days; day++) {
    const active = activeServices(services, day);
    for (let row = 0; row < active.length; row++) if (active[row] === 1) wanted[row] = 1;
  }
  return wanted;
}
