import { expect, test } from 'vitest';
import { readGtfs } from '../src/index.ts';
import { ask, carrierOf, shown, stationOf } from './ask.ts';
import { type FeedTexts, smallFeed, zipFeed } from './zip-feed.ts';

const [alfa, bravo, charlie, delta] = ['A', 'B', 'C', 'D'].map((id) => stationOf(id)) as [
  ReturnType<typeof stationOf>,
  ReturnType<typeof stationOf>,
  ReturnType<typeof stationOf>,
  ReturnType<typeof stationOf>,
];
const STOPS = 'stop_id,stop_name,location_type,parent_station,platform_code\n';
const TIMES = 'trip_id,arrival_time,departure_time,stop_id,stop_sequence\n';

async function read(files: FeedTexts, options: Parameters<typeof readGtfs>[1] = {}) {
  return readGtfs(zipFeed({ ...smallFeed, ...files }), options);
}

test('a day of one train', async () => {
  const answer = await ask(carrierOf(await read({})), {
    origin: alfa,
    destination: charlie,
    date: '2026-12-01',
    stops: true,
  });
  expect(shown(answer)).toEqual(['101 A 12-01T08:00:00+01:00 C 12-01T09:00:00+01:00']);
  const [journey] = answer.journeys;
  expect(journey).toMatchObject({ offers: [], unpriced: ['gtfs'], sources: ['gtfs'] });
  expect(journey?.legs[0]).toMatchObject({
    brand: 'IC',
    operator: 'gtfs:x',
    operatingDay: '2026-12-01',
    stops: [{ station: 'gtfs:B' }],
  });
  expect(answer.operators).toEqual({ 'gtfs:x': 'Line X' });
  expect(answer.places).toContainEqual({
    id: 'gtfs:B',
    name: 'Bravo',
    zone: 'Europe/Madrid',
    latitude: 40.2,
    longitude: -3.2,
  });
});

test('any order of columns and rows, quotes, CRLF, a byte order mark, blanks, and times of one digit', async () => {
  const feed = await read({
    'stop_times.txt':
      '\uFEFFstop_sequence , "stop_id",departure_time,arrival_time,trip_id,note\r\n' +
      '3,C, 9:00:00 ,9:00:00,t1,"two\r\nlines, ""quoted"""\r\n' +
      '1,A,8:00:00,8:00:00,t1,\r\n\r\n' +
      '2,"B",8:32:00,8:30:00,t1,x',
  });
  expect(feed.leftOut).toEqual({});
  const answer = await ask(carrierOf(feed), {
    origin: bravo,
    destination: charlie,
    date: '2026-12-01',
  });
  expect(shown(answer)).toEqual(['101 B 12-01T08:32:00+01:00 C 12-01T09:00:00+01:00']);
});

test('files in a folder of the zip', async () => {
  const inFolder = Object.entries(smallFeed).map(([name, text]) => [`feed/${name}`, text]);
  const feed = await readGtfs(zipFeed(Object.fromEntries(inFolder)));
  expect(feed.firstDate).toBe('2026-01-01');
  expect(feed.lastDate).toBe('2027-12-31');
});

test.each([
  ['2027-03-27', '08:00', '+01:00', '2027-03-27', '24:30', 'the night before summer time'],
  ['2027-03-28', '08:00', '+02:00', '2027-03-28', '24:30', 'the day of summer time'],
  ['2026-10-25', '08:00', '+01:00', '2026-10-25', '24:30', 'the day of winter time'],
])('times count from noon minus 12 hours: %s', async (date, _time, offset) => {
  const answer = await ask(carrierOf(await read({})), { origin: alfa, destination: charlie, date });
  expect(answer.journeys[0]?.departure.iso).toBe(`${date}T08:00:00${offset}[Europe/Madrid]`);
});

test.each([
  // The clock goes from 02:00 to 03:00: noon minus 12 hours is 23:00 of the day before.
  ['2027-03-28', '00:30:00', '2027-03-27T23:30:00+01:00'],
  ['2027-03-28', '01:30:00', '2027-03-28T00:30:00+01:00'],
  ['2027-03-28', '03:30:00', '2027-03-28T03:30:00+02:00'],
  // The clock goes from 03:00 to 02:00: noon minus 12 hours is 01:00.
  ['2026-10-25', '00:30:00', '2026-10-25T01:30:00+02:00'],
  ['2026-10-25', '02:30:00', '2026-10-25T02:30:00+01:00'],
  ['2026-10-25', '03:30:00', '2026-10-25T03:30:00+01:00'],
])('on %s, %s is %s', async (day, time, instant) => {
  const feed = await read({
    'stop_times.txt': `${TIMES}t1,${time},${time},A,1\nt1,12:00:00,12:00:00,C,2\n`,
    'calendar.txt': undefined,
    'calendar_dates.txt': `service_id,date,exception_type\ndaily,${day.replaceAll('-', '')},1\n`,
  });
  const wide = { ...feed, firstDate: '2026-01-01', lastDate: '2027-12-31' };
  const answer = await ask(carrierOf(wide), {
    origin: alfa,
    destination: charlie,
    date: instant.slice(0, 10),
  });
  expect(answer.journeys.map(({ departure }) => departure.iso)).toEqual([
    `${instant}[Europe/Madrid]`,
  ]);
});

test('a train after midnight belongs to the day before, whose number and operating day it has', async () => {
  const feed = await read({
    'stop_times.txt': `${TIMES}t1,24:10:00,24:10:00,A,1\nt1,49:00:00,49:00:00,C,2\n`,
  });
  const carrier = carrierOf(feed, { maxHours: 48 });
  const answer = await ask(carrier, { origin: alfa, destination: charlie, date: '2026-12-02' });
  expect(shown(answer)).toEqual(['101 A 12-02T00:10:00+01:00 C 12-03T01:00:00+01:00']);
  expect(answer.journeys[0]?.legs[0]).toMatchObject({ operatingDay: '2026-12-01' });
});

test('exceptions of the calendar add and remove days', async () => {
  const feed = await read({
    'calendar.txt': smallFeed['calendar.txt']?.replace('1,1,1,1,1,1,1', '1,1,1,1,1,0,0') as string,
    'calendar_dates.txt': 'service_id,date,exception_type\ndaily,20261205,1\ndaily,20261207,2\n',
  });
  const carrier = carrierOf(feed);
  const counts: number[] = [];
  for (const day of ['04', '05', '06', '07', '08']) {
    const date = `2026-12-${day}`;
    const { journeys } = await ask(carrier, { origin: alfa, destination: charlie, date });
    counts.push(journeys.length);
  }
  expect(counts).toEqual([1, 1, 0, 0, 1]);
});

test('frequencies are runs without a number; the end of an interval is no departure', async () => {
  const feed = await read({
    'frequencies.txt':
      'trip_id,start_time,end_time,headway_secs\nt1,10:00:00,11:00:00,1800\nt1,22:00:00,22:10:00,600\n',
  });
  const answer = await ask(carrierOf(feed), {
    origin: bravo,
    destination: charlie,
    date: '2026-12-01',
  });
  expect(shown(answer)).toEqual([
    'IC B 12-01T10:32:00+01:00 C 12-01T11:00:00+01:00',
    'IC B 12-01T11:02:00+01:00 C 12-01T11:30:00+01:00',
    'IC B 12-01T22:32:00+01:00 C 12-01T23:00:00+01:00',
  ]);
  expect(new Set(answer.journeys.map(({ id }) => id)).size).toBe(3);
});

test('times that stops lack lie evenly between those around them', async () => {
  const feed = await read({
    'stop_times.txt': `${TIMES}t1,08:00:00,08:00:00,A,1\nt1,,,B,5\nt1,09:00:00,09:00:00,C,9\n`,
  });
  const answer = await ask(carrierOf(feed), {
    origin: bravo,
    destination: charlie,
    date: '2026-12-01',
  });
  expect(shown(answer)).toEqual(['101 B 12-01T08:30:00+01:00 C 12-01T09:00:00+01:00']);
});

test('agencies have zones of their own, and a night train between them is right in both', async () => {
  const feed = await read({
    'agency.txt': 'agency_id,agency_name,agency_timezone\nx,X,Europe/Madrid\ny,Y,Europe/Lisbon\n',
    'routes.txt': 'route_id,agency_id,route_short_name,route_type\nr,x,IC,2\nq,y,R,2\n',
    'trips.txt': 'route_id,service_id,trip_id,trip_short_name\nr,daily,t1,1\nq,daily,t2,2\n',
    'stop_times.txt': `${TIMES}t1,08:00:00,08:00:00,A,1\nt1,09:00:00,09:00:00,B,2\nt2,08:10:00,08:10:00,B,1\nt2,09:00:00,09:00:00,C,2\n`,
    'stops.txt':
      'stop_id,stop_name,stop_timezone\nA,Alfa,Europe/Madrid\nB,Bravo,Europe/Madrid\nC,Charlie,Europe/Lisbon\n',
  });
  const answer = await ask(carrierOf(feed), {
    origin: alfa,
    destination: stationOf('C', 'Europe/Lisbon'),
    date: '2026-12-01',
  });
  expect(shown(answer)).toEqual([
    '1 A 12-01T08:00:00+01:00 B 12-01T09:00:00+01:00 > 2 B 12-01T09:10:00+01:00 C 12-01T09:00:00+00:00',
  ]);
});

const twoTrains: FeedTexts = {
  'trips.txt':
    'route_id,service_id,trip_id,trip_short_name,block_id\nr,daily,t1,1,b\nr,daily,t2,2,b\nr,daily,t3,3,\n',
  'stops.txt': `${STOPS}A,Alfa,1,,\nB,Bravo,1,,\nB1,Bravo,0,B,1\nB2,Bravo,0,B,2\nC,Charlie,1,,\nD,Delta,1,,\n`,
  'stop_times.txt': `${TIMES}t1,08:00:00,08:00:00,A,1\nt1,09:00:00,09:00:00,B1,2\nt2,09:01:00,09:01:00,B1,1\nt2,10:00:00,10:00:00,C,2\nt3,09:06:00,09:06:00,B2,1\nt3,11:00:00,11:00:00,D,2\n`,
};

test('people stay seated in a block: one ride of two sections, no change', async () => {
  const feed = await read(twoTrains);
  const answer = await ask(carrierOf(feed), {
    origin: alfa,
    destination: charlie,
    date: '2026-12-01',
    stops: true,
  });
  expect(shown(answer)).toEqual(['1 A 12-01T08:00:00+01:00 C 12-01T10:00:00+01:00']);
  expect(answer.journeys[0]).toMatchObject({ transfers: 0 });
  expect(answer.journeys[0]?.legs[0]).toMatchObject({
    sections: [
      { number: '1', destination: 'gtfs:B', arrivalPlatform: { planned: '1' } },
      { number: '2', origin: 'gtfs:B' },
    ],
    stops: [{ station: 'gtfs:B', arrival: { ms: Date.UTC(2026, 11, 1, 8) } }],
  });
});

test('a rule against staying seated makes it a change, for which there is no time', async () => {
  const feed = await read({
    ...twoTrains,
    'transfers.txt': 'from_trip_id,to_trip_id,transfer_type\nt1,t2,5\n',
  });
  const question = { origin: alfa, destination: charlie, date: '2026-12-01' };
  expect((await ask(carrierOf(feed), question)).journeys).toEqual([]);
});

test('a rule for two trips seats people without a block', async () => {
  const feed = await read({
    ...twoTrains,
    'trips.txt': (twoTrains['trips.txt'] as string).replaceAll(',b\n', ',\n'),
    'transfers.txt': 'from_trip_id,to_trip_id,transfer_type\nt1,t2,4\n',
  });
  const question = { origin: alfa, destination: charlie, date: '2026-12-01' };
  expect((await ask(carrierOf(feed), question)).journeys).toMatchObject([{ transfers: 0 }]);
});

test('changes take three minutes, or as long as the most special rule says', async () => {
  const question = { origin: alfa, destination: delta, date: '2026-12-01' };
  const change = async (rows: string, changeMinutes = 3): Promise<number> => {
    const rules = `from_stop_id,to_stop_id,transfer_type,min_transfer_time\n${rows}`;
    const feed = await read({ ...twoTrains, 'transfers.txt': rules }, { changeMinutes });
    return (await ask(carrierOf(feed), question)).journeys.length;
  };
  expect(await change('')).toBe(1);
  expect(await change('', 7)).toBe(0);
  expect(await change('B,B,2,420\n')).toBe(0);
  expect(await change('B1,B2,2,420\n')).toBe(0);
  expect(await change('B1,B2,2,300\nB,B,2,420\n')).toBe(1);
  expect(await change('B1,B,3,\n')).toBe(0);
  expect(await change('B2,B1,3,\n')).toBe(1);
  expect(await change('B1,B2,1,\n', 7)).toBe(1);
});

test('ways between stations are legs with their minutes', async () => {
  const feed = await read({
    ...twoTrains,
    'stop_times.txt': (twoTrains['stop_times.txt'] as string).replace('09:06:00,B2', '09:06:00,C'),
    'transfers.txt': 'from_stop_id,to_stop_id,transfer_type,min_transfer_time\nB,C,2,290\n',
  });
  const answer = await ask(carrierOf(feed), {
    origin: alfa,
    destination: delta,
    date: '2026-12-01',
  });
  expect(answer.journeys[0]?.legs[1]).toEqual({
    kind: 'transfer',
    origin: 'gtfs:B',
    destination: 'gtfs:C',
    minutes: 5,
  });
});

test('ways to the first train and from the last one are legs, and count for the best journeys', async () => {
  const feed = await read({
    'stops.txt': `${STOPS}A,Alfa,1,,\nB,Bravo,1,,\nC,Charlie,1,,\nD,Delta,1,,\nE,Echo,1,,\n`,
    'transfers.txt':
      'from_stop_id,to_stop_id,transfer_type,min_transfer_time\nD,A,2,600\nC,E,2,290\nE,C,2,290\n',
  });
  const date = '2026-12-01';
  const answer = await ask(carrierOf(feed), {
    origin: delta,
    destination: stationOf('E'),
    date,
  }).catch((error: unknown) => error);
  // Nothing calls at Delta and Echo: they are not of this timetable.
  expect(answer).toMatchObject({ code: 'NOT_SERVED' });
  const served = await read({
    'stops.txt': `${STOPS}A,Alfa,1,,\nB,Bravo,1,,\nC,Charlie,1,,\nD,Delta,1,,\nE,Echo,1,,\n`,
    'trips.txt': 'route_id,service_id,trip_id,trip_short_name\nr,daily,t1,1\nr,daily,t2,2\n',
    'stop_times.txt': `${smallFeed['stop_times.txt']}t2,07:00:00,07:00:00,D,1\nt2,20:00:00,20:00:00,E,2\n`,
    'transfers.txt':
      'from_stop_id,to_stop_id,transfer_type,min_transfer_time\nD,A,2,600\nC,E,2,290\n',
  });
  const { journeys, places } = await ask(carrierOf(served), {
    origin: delta,
    destination: stationOf('E'),
    date,
  });
  expect(journeys).toHaveLength(1);
  expect(journeys[0]).toMatchObject({ transfers: 0, durationMinutes: 75 });
  expect(journeys[0]?.legs).toMatchObject([
    { kind: 'transfer', origin: 'own:D', destination: 'gtfs:A', minutes: 10 },
    { kind: 'ride', number: '1', origin: 'gtfs:A', destination: 'gtfs:C' },
    { kind: 'transfer', origin: 'gtfs:C', destination: 'own:E', minutes: 5 },
  ]);
  expect(places?.map(({ id }) => id).sort()).toEqual(['gtfs:A', 'gtfs:C', 'own:D', 'own:E']);
});

test('no boarding and no alighting where the feed says so', async () => {
  const feed = await read({
    'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,drop_off_type\nt1,08:00:00,08:00:00,A,1,0,1\nt1,08:30:00,08:32:00,B,2,1,0\nt1,09:00:00,09:00:00,C,3,1,0\n`,
  });
  const carrier = carrierOf(feed);
  const count = async (origin: typeof alfa, destination: typeof alfa) =>
    (await ask(carrier, { origin, destination, date: '2026-12-01' })).journeys.length;
  expect(await count(alfa, bravo)).toBe(1);
  expect(await count(bravo, charlie)).toBe(0);
});

test('modes, days and the bound of changes choose', async () => {
  const files = {
    ...twoTrains,
    'routes.txt': 'route_id,agency_id,route_short_name,route_type\nr,x,IC,109\nbus,x,7,700\n',
    'trips.txt': (twoTrains['trips.txt'] as string).replace('r,daily,t3', 'bus,daily,t3'),
  };
  const question = { origin: alfa, destination: delta, date: '2026-12-01' };
  const all = await ask(carrierOf(await read(files)), question);
  expect(all.journeys[0]?.legs[1]).toMatchObject({ mode: 'bus', brand: '7' });
  expect(all.journeys[0]?.legs[1]).not.toHaveProperty('number');
  const some = await ask(carrierOf(await read(files)), { ...question, maxTransfers: 0 });
  expect(some.journeys).toEqual([]);
  const trains = await read(files, { modes: ['train'], from: '2026-12-01', days: 7 });
  expect([trains.firstDate, trains.lastDate]).toEqual(['2026-12-01', '2026-12-07']);
  await expect(ask(carrierOf(trains), question)).rejects.toMatchObject({ code: 'NOT_SERVED' });
  const late = { origin: alfa, destination: charlie, date: '2026-12-08' };
  await expect(ask(carrierOf(trains), late)).rejects.toMatchObject({ code: 'DATE_OUT_OF_RANGE' });
});

test('stations are found by codes, or by coordinates where trains call', async () => {
  const feed = await read({});
  const station = { ...stationOf('near'), id: 'uic:7100001', codes: { uic: '7100001' } };
  const near = (point: { latitude: number }) =>
    Math.abs(point.latitude - 40.2) < 0.001 ? [{ station, km: 0.01 }] : [];
  const byCode = (system: string, code: string) =>
    system === 'uic' && code === '7100002' ? { ...station, id: 'uic:7100002' } : undefined;
  const carrier = carrierOf(feed, {
    stations: { near, byCode },
    codeOf: ({ id }) => (id === 'C' ? { system: 'uic', code: '7100002' } : undefined),
  });
  const destination = { ...station, id: 'uic:7100002' };
  const answer = await ask(carrier, { origin: station, destination, date: '2026-12-01' });
  expect(answer.journeys[0]?.legs[0]).toMatchObject({
    origin: 'uic:7100001',
    destination: 'uic:7100002',
  });
});
