import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { zipSync } from 'fflate';
import { expect, onTestFinished, test } from 'vitest';
import { GtfsError, readGtfs } from '../src/index.ts';
import { type FeedTexts, smallFeed, zipFeed } from './zip-feed.ts';

async function errorOf(source: Uint8Array | string | URL, options = {}): Promise<GtfsError> {
  const error = await readGtfs(source, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!GtfsError.is(error)) throw error ?? new Error('The feed was read');
  return error;
}

const feed = zipFeed(smallFeed);
const without = (...names: readonly string[]): FeedTexts =>
  Object.fromEntries(Object.entries(smallFeed).filter(([name]) => !names.includes(name)));

/** A zip whose stop times are damaged: the first byte of their data is another. */
function damaged(): Uint8Array {
  const bytes = zipSync({ ...entriesOf(smallFeed) }, { level: 0 });
  const at = Buffer.from(bytes).indexOf('08:30:00');
  bytes[at] = 0x31;
  return bytes;
}

function entriesOf(files: FeedTexts): Record<string, Uint8Array> {
  const encoder = new TextEncoder();
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, encoder.encode(text)]),
  );
}

/** A zip whose directory says that the stop times have other sizes than they do. */
function lying(unpacked: number): Uint8Array {
  const bytes = Buffer.from(zipSync(entriesOf(smallFeed)));
  const name = bytes.lastIndexOf('stop_times.txt');
  bytes.writeUInt32LE(unpacked, name - 46 + 24);
  return bytes;
}

const bomb = { ...smallFeed, 'stop_times.txt': 'trip_id,'.repeat(4 * 1024 * 1024) };
const noise = Array.from({ length: 200_000 }, (_, index) => index * 7919).join(',');
const longRow = `trip_id,arrival_time,departure_time,stop_id,stop_sequence\nt1,"${noise}`;

test.each<[what: string, bytes: Uint8Array, code: string, message: RegExp]>([
  [
    'no zip',
    Buffer.from('<html>'),
    'ERR_GTFS_ZIP',
    /^Cannot read feed: it is no zip, or a damaged one: /,
  ],
  ['an empty file', new Uint8Array(), 'ERR_GTFS_ZIP', /it is no zip/],
  ['a zip that is cut', feed.subarray(0, feed.length - 40), 'ERR_GTFS_ZIP', /it is no zip/],
  [
    'damaged bytes',
    damaged(),
    'ERR_GTFS_ZIP',
    /stop_times\.txt is damaged in the zip: its checksum is another$/,
  ],
  [
    'more bytes than the directory says',
    lying(10),
    'ERR_GTFS_ZIP',
    /stop_times\.txt is damaged in the zip: too many bytes/,
  ],
  [
    'fewer bytes than the directory says',
    lying(1000),
    'ERR_GTFS_ZIP',
    /stop_times\.txt is damaged in the zip: not enough bytes/,
  ],
  [
    'a bomb',
    zipFeed(bomb),
    'ERR_GTFS_TOO_LARGE',
    /stop_times\.txt has 33554432 bytes, packed into \d+: more than `maxRatio` \(200\)$/,
  ],
  [
    'a row without an end',
    zipFeed({ ...smallFeed, 'stop_times.txt': longRow }),
    'ERR_GTFS_CSV',
    /stop_times\.txt has a row of more than 1048576 characters: a quote may not be closed$/,
  ],
  [
    'no stops',
    zipFeed(without('stops.txt')),
    'ERR_GTFS_MISSING_FILE',
    /^Cannot read feed: the zip has no stops\.txt, or an empty one$/,
  ],
  [
    'no calendar',
    zipFeed(without('calendar.txt')),
    'ERR_GTFS_MISSING_FILE',
    /neither calendar\.txt nor calendar_dates\.txt$/,
  ],
  [
    'another column',
    zipFeed({ ...smallFeed, 'trips.txt': 'route,service_id,trip_id\n' }),
    'ERR_GTFS_COLUMN',
    /^Cannot read feed: trips\.txt has no column route_id, but route, service_id, trip_id$/,
  ],
  [
    'an empty table',
    zipFeed({ ...smallFeed, 'trips.txt': '' }),
    'ERR_GTFS_MISSING_FILE',
    /the zip has no trips\.txt, or an empty one$/,
  ],
  [
    'no trip that runs',
    zipFeed({ ...smallFeed, 'trips.txt': 'route_id,service_id,trip_id\nr,never,t1\n' }),
    'ERR_GTFS_EMPTY',
    /no trip is left that people can ride; left out: .*1 rows of trips\.txt: of an unknown service/,
  ],
  [
    'two feeds',
    zipFeed({ 'a/stops.txt': 'x', 'b/stops.txt': 'x' }),
    'ERR_GTFS_ZIP',
    /feeds in several folders: a\/, b\/$/,
  ],
])('%s is one clear error', async (_what, bytes, code, message) => {
  const error = await errorOf(bytes);
  expect(error.message).toMatch(message);
  expect(error.code).toBe(code);
});

test('the error of a column names file and column as data', async () => {
  const error = await errorOf(zipFeed({ ...smallFeed, 'stops.txt': 'id\nA\n' }));
  expect(error.data).toEqual({ file: 'stops.txt', column: 'stop_id' });
});

test.each([
  [{ maxUnpackedBytes: 100 }, /its files have more than `maxUnpackedBytes` \(100\)$/],
  [{ maxStopTimes: 2 }, /it has more than `maxStopTimes` \(2\) stop times/],
])('the bound %j holds', async (options, message) => {
  const error = await errorOf(feed, options);
  expect(error.message).toMatch(message);
  expect(error.code).toBe('ERR_GTFS_TOO_LARGE');
});

test('runs of frequencies count as stop times', async () => {
  const frequencies = 'trip_id,start_time,end_time,headway_secs\nt1,00:00:00,24:00:00,1\n';
  const bytes = zipFeed({ ...smallFeed, 'frequencies.txt': frequencies });
  const error = await errorOf(bytes, { maxStopTimes: 1000 });
  expect(error.code).toBe('ERR_GTFS_TOO_LARGE');
});

test('rules for a station of very many platforms are refused, not expanded', async () => {
  const platforms = Array.from({ length: 2500 }, (_, index) => `P${index}`);
  const stops = platforms.map((id) => `${id},Platform,0,S\n`).join('');
  const times = platforms.map((id, index) => `t1,08:00:00,08:00:00,${id},${index}\n`).join('');
  const error = await errorOf(
    zipFeed({
      ...smallFeed,
      'stops.txt': `stop_id,stop_name,location_type,parent_station\nS,S,1,\n${stops}`,
      'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence\n${times}`,
      'transfers.txt': 'from_stop_id,to_stop_id,transfer_type\nP0,P1,3\n',
    }),
  );
  expect(error.message).toMatch(/more than 4000000 changes between platforms$/);
});

test('bad rows are left out and counted, and the rest is read', async () => {
  const add = (name: string, rows: string): FeedTexts => ({ [name]: `${smallFeed[name]}${rows}` });
  const read = await readGtfs(
    zipFeed({
      ...smallFeed,
      ...add('agency.txt', 'z,Z,https://z.example,Mars/Olympus\n'),
      ...add('stops.txt', 'A,Again,1,1\n,No id,1,1\n'),
      ...add('routes.txt', 'r,x,Again,,2\nq,nobody,Q,,2\nz,z,Z,,2\n'),
      ...add(
        'trips.txt',
        'r,daily,t1,1\nq,daily,t2,1\nr,never,t3,1\nr,daily,back,1\nr,daily,one,1\nr,daily,open,1\nr\n',
      ),
      ...add(
        'stop_times.txt',
        'ghost,08:00:00,08:00:00,A,1\nt1,08:00:00,08:00:00,Z,4\nt1,8h,08:00:00,A,5\nt1,10:00:00,10:00:00,A,x\nt1\nback,09:00:00,09:00:00,A,1\nback,08:00:00,08:00:00,B,2\none,09:00:00,09:00:00,A,1\nopen,,,A,1\nopen,09:00:00,09:00:00,B,2\n',
      ),
      ...add(
        'calendar.txt',
        'daily,1,1,1,1,1,1,1,20260101,20261231\nodd,1,1,1,1,1,1,1,20260230,20261231\n',
      ),
      'calendar_dates.txt':
        'service_id,date,exception_type\ndaily,2026-12-01,1\ndaily,20261201,3\n,20261201,1\n',
      'frequencies.txt':
        'trip_id,start_time,end_time,headway_secs\nghost,08:00:00,09:00:00,60\nt1,09:00:00,08:00:00,60\nt1,08:00:00,09:00:00,0\n',
      'transfers.txt':
        'from_stop_id,to_stop_id,transfer_type,min_transfer_time,from_route_id,from_trip_id,to_trip_id\nA,Z,2,60,,,\nA,B,2,,,,\nA,B,9,60,,,\nA,B,2,60,r,,\n,,4,,,t1,ghost\n',
    }),
  );
  expect(read.leftOut).toEqual({
    'agency.txt: in an unknown time zone': 1,
    'stops.txt: with the id of another': 1,
    'stops.txt: without an id': 1,
    'routes.txt: with the id of another': 1,
    'routes.txt: of an unknown agency': 2,
    'trips.txt: with the id of another': 1,
    'trips.txt: of an unknown route': 1,
    'trips.txt: of an unknown service': 1,
    'trips.txt: without an id': 1,
    'stop_times.txt: of an unknown trip': 1,
    'stop_times.txt: at an unknown stop': 2,
    'stop_times.txt: with a time that cannot be read': 1,
    'stop_times.txt: with a sequence that is no number': 1,
    'stop_times.txt: of trips whose times go back': 2,
    'stop_times.txt: of trips with one stop': 1,
    'stop_times.txt: of trips without a first or a last time': 2,
    'calendar.txt: with the id of another': 1,
    'calendar.txt: with a date that cannot be read': 1,
    'calendar_dates.txt: with a date that cannot be read': 1,
    'calendar_dates.txt: with an unknown type': 1,
    'calendar_dates.txt: without an id': 1,
    'frequencies.txt: of an unknown trip': 1,
    'frequencies.txt: with times that are no interval': 1,
    'frequencies.txt: with a headway that is no number of seconds': 1,
    'transfers.txt: at an unknown stop': 1,
    'transfers.txt: with a time that cannot be read': 1,
    'transfers.txt: with an unknown type': 1,
    'transfers.txt: for single routes or trips': 1,
    'transfers.txt: of an unknown trip': 1,
  });
});

test('a feed is read from a path and from a URL, and no descriptor is left open', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gtfs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'feed.zip');
  await writeFile(path, feed);
  const open = (): number => {
    const links = readdirSync('/proc/self/fd').map((fd) => `/proc/self/fd/${fd}`);
    return links.length;
  };
  const before = open();
  for (let time = 0; time < 5; time++) {
    expect((await readGtfs(path)).trips.routes.length).toBe(1);
    expect((await readGtfs(pathToFileURL(path))).trips.routes.length).toBe(1);
    await errorOf(path, { maxUnpackedBytes: 1 });
  }
  // The last one closes after its promise.
  await expect.poll(open).toBeLessThanOrEqual(before + 1);
  const error = await errorOf(join(folder, 'none.zip'));
  expect(error.code).toBe('ERR_GTFS_ZIP');
  expect(error.message).toMatch(/ENOENT/);
});

test('a signal ends the reading with its reason', async () => {
  const reason = new Error('enough');
  await expect(readGtfs(feed, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
