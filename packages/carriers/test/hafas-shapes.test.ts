// Shapes of real answers, which wires/hafas.md names: written anew, with other codes and times.
import type { Journey, RideLeg, Station } from '@ticketing/core';
import { expect, test } from 'vitest';
import { createHafas, type HafasProfile } from '../src/index.ts';
import { bytesOf, failureOf, queryFor } from './upstream.ts';

const zones: Readonly<Record<string, string>> = {
  '8011160': 'Europe/Berlin',
  '8002549': 'Europe/Berlin',
  '8011102': 'Europe/Berlin',
  '8011113': 'Europe/Berlin',
  '8814001': 'Europe/Brussels',
  '7015400': 'Europe/London',
};
/** Stations that have one number in each of two systems. */
const stations = {
  byCode(system: string, code: string): Station | undefined {
    const zone = system === 'uic' || system === 'ibnr' ? zones[code] : undefined;
    const rest = { country: 'XX', latitude: 0, longitude: 0, codes: {}, aliases: [] };
    return zone === undefined ? undefined : { ...rest, id: `uic:${code}`, name: code, zone };
  },
};
const profile: HafasProfile = {
  path: '/mgate',
  zone: 'Europe/Berlin',
  version: '1.45',
  client: { type: 'WEB', id: 'X' },
  auth: { type: 'AID', aid: 'invented' },
  products: { 1: 'train', 8: 'train', 16: 'train', 32: 'bus', 128: 'metro' },
  currency: 'EUR',
  prices: 'fares',
  stationSystem: 'ibnr',
};

interface Answer {
  readonly locations: readonly object[];
  readonly products?: readonly object[];
  readonly connections: readonly object[];
}

const service = ({ locations, products = [{ name: 'ICE 61', cls: 1 }], connections }: Answer) => ({
  meth: 'TripSearch',
  err: 'OK',
  res: { common: { locL: locations, prodL: products, opL: [] }, outConL: connections },
});

function readAll(services: readonly object[], more: Partial<HafasProfile> = {}, people = 1) {
  const carrier = createHafas({
    id: 'hafas',
    name: 'HAFAS',
    baseUrl: 'http://127.0.0.1:1',
    stations,
    profile: { ...profile, ...more },
  });
  const body = bytesOf(JSON.stringify({ ver: '1.45', err: 'OK', svcResL: services }));
  const query = { ...queryFor('hafas'), passengers: Array.from({ length: people }, () => ({})) };
  const ask = { kind: 'earlier', atMs: 7e12 } as const;
  return carrier.normalise({ pages: [{ body, receivedAt: 1 }], ask, ended: false }, query);
}

const read = (answer: Answer, more: Partial<HafasProfile> = {}) => readAll([service(answer)], more);
const ridesOf = ({ legs }: Journey) => legs.filter((leg): leg is RideLeg => leg.kind === 'ride');

const station = (name: string, extId: string, more: object = {}): object => ({
  lid: `A=1@O=${name}@L=${extId}@`,
  type: 'S',
  name,
  extId,
  ...more,
});
const [berlin, hamburg, gesundbrunnen, southCross] = [
  station('Berlin Hbf', '8011160'),
  station('Hamburg Hbf', '8002549'),
  station('Berlin Gesundbrunnen', '8011102'),
  station('Berlin Südkreuz', '8011113'),
];
const address = {
  lid: 'A=2@O=52.520680, 13.416440@X=13416440@Y=52520680@',
  type: 'A',
  name: '52.520680, 13.416440',
};

type Times = readonly [planned: string | undefined, expected?: string];
function section(
  type: string,
  ends: readonly [number, number],
  dep: Times,
  arr: Times,
  jny?: object,
) {
  const end = (at: number, prefix: string, [planned, expected]: Times, offset?: number) => ({
    locX: at,
    ...(planned && { [`${prefix}TimeS`]: planned }),
    ...(expected && { [`${prefix}TimeR`]: expected }),
    ...(offset !== undefined && { [`${prefix}TZOffset`]: offset }),
  });
  return { type, dep: end(ends[0], 'd', dep), arr: end(ends[1], 'a', arr), ...(jny && { jny }) };
}
const ride = (ends: readonly [number, number], dep: Times, arr: Times, jny: object = {}) =>
  section('JNY', ends, dep, arr, { prodX: 0, ...jny });
const connection = (dur: string, ...secL: object[]) => ({ date: '20270113', dur, secL });

const minutesOf = (dur: string): number =>
  Number(dur.slice(-6, -4)) * 60 + Number(dur.slice(-4, -2)) + Number(dur.slice(0, -6)) * 1440;

test('hafas: without offsets, times are on the clocks of their stops', () => {
  const brussels = station('Bruxelles-Midi', '8814001');
  const london = station('London St Pancras', '7015400');
  const answer = {
    locations: [brussels, london],
    connections: [
      connection('020500', ride([0, 1], ['175200'], ['185700'])),
      connection('020500', ride([1, 0], ['175200'], ['205700'])),
    ],
  };
  const { journeys } = read(answer, { zone: 'Europe/Brussels', stationSystem: 'uic' });
  expect(journeys.map(({ arrival, durationMinutes }) => [arrival.iso, durationMinutes])).toEqual([
    ['2027-01-13T18:57:00+00:00[Europe/London]', 125],
    ['2027-01-13T20:57:00+01:00[Europe/Brussels]', 125],
  ]);
});

test('hafas: an address, or a stop that the table lacks, is on the clocks of the stop that a way leads to', () => {
  const lane = { lid: 'A=2@O=Low Street 3@X=-127900@Y=51532900@', type: 'A', name: 'Low Street 3' };
  const answer = {
    locations: [
      station('Bruxelles-Midi', '8814001'),
      station('London St Pancras', '7015400'),
      lane,
      station('London Lower Halt', '9999901'),
    ],
    connections: [
      connection(
        '021200',
        ride([0, 1], ['175200'], ['185700']),
        section('WALK', [1, 2], ['185700'], ['190400']),
      ),
      connection(
        '020100',
        section('DEVI', [1, 3], ['175200'], ['180100']),
        ride([3, 0], ['180100'], ['210200']),
      ),
    ],
  };
  const { journeys, places, leftOut } = read(answer, {
    zone: 'Europe/Brussels',
    stationSystem: 'uic',
  });
  expect(leftOut).toBeUndefined();
  expect(journeys.map(({ durationMinutes }) => durationMinutes)).toEqual([132, 121]);
  expect(journeys[1]?.departure.iso).toBe('2027-01-13T18:01:00+00:00[Europe/London]');
  expect(places?.filter(({ name }) => name.includes('Low')).map((place) => place)).toMatchObject([
    { name: 'Low Street 3', zone: 'Europe/London' },
    { name: 'London Lower Halt', zone: 'Europe/London' },
  ]);
});

test('hafas: a duration that only the clocks of the server make decides for them', () => {
  const answer = {
    locations: [station('Bruxelles-Midi', '8814001'), station('London', '7015400')],
    connections: [connection('020500', ride([0, 1], ['175200'], ['195700']))],
  };
  const [journey] = read(answer, { zone: 'Europe/Brussels', stationSystem: 'uic' }).journeys;
  expect(journey).toMatchObject({
    arrival: { iso: '2027-01-13T18:57:00+00:00[Europe/London]' },
    durationMinutes: 125,
  });
});

test('hafas: durations are the durations of the server: walks, a check-in, delays, and no deviation', () => {
  const connections = [
    connection(
      '003700',
      section('WALK', [2, 0], ['100100'], ['101600']),
      ride([0, 1], ['101600'], ['103300']),
      section('WALK', [1, 3], ['103300'], ['103800']),
    ),
    connection(
      '023500',
      section('CHKI', [0, 0], ['182200'], ['185200']),
      ride([0, 1], ['185200'], ['205700']),
    ),
    connection(
      '020900',
      section('DEVI', [2, 0], ['141400'], ['142100']),
      ride([0, 1], ['142100', '144600'], ['163600', '165500']),
    ),
    // The walk ends a minute before the train.
    connection(
      '003900',
      section('WALK', [2, 0], ['100500'], ['101500']),
      ride([0, 1], ['101600'], ['104500']),
    ),
    connection('01020000', ride([0, 1], ['235000'], ['02015000'])),
  ];
  const { journeys, filtered } = read({
    locations: [berlin, hamburg, gesundbrunnen, southCross].map((one) => one),
    connections,
  });
  expect(filtered).toBeUndefined();
  expect(journeys.map(({ durationMinutes }) => durationMinutes)).toEqual(
    connections.map(({ dur }) => minutesOf(dur)),
  );
});

test('hafas: trains that begin or end near the station that was asked for are shown as that', () => {
  const { journeys, filtered } = read({
    locations: [berlin, hamburg, gesundbrunnen],
    connections: [
      connection(
        '021500',
        section('DEVI', [0, 2], ['211400'], ['212100']),
        ride([2, 1], ['212100'], ['233600']),
      ),
      connection(
        '021500',
        ride([0, 1], ['212100'], ['233600']),
        section('DEVI', [1, 2], ['233600'], ['233600']),
      ),
    ],
  });
  expect(filtered).toBeUndefined();
  const near = { kind: 'transfer', nearby: true };
  expect(journeys).toMatchObject([
    { durationMinutes: 135, transfers: 0, legs: [near, { kind: 'ride' }] },
    { durationMinutes: 135, transfers: 0, legs: [{ kind: 'ride' }, near] },
  ]);
});

test('hafas: a late train that is caught is shown, one that is not reached is marked', () => {
  const { journeys, filtered } = read({
    locations: [berlin, hamburg, gesundbrunnen],
    connections: [
      connection(
        '005000',
        ride([0, 2], ['140800', '140800'], ['142500', '142500']),
        ride([2, 1], ['135200', '143400'], ['141700', '145800']),
      ),
      connection(
        '010500',
        ride([0, 2], ['140800', '140800'], ['142500', '143900']),
        ride([2, 1], ['143000'], ['151300'], { isRchbl: false }),
      ),
      connection(
        '010500',
        ride([0, 2], ['01140800'], ['01142500']),
        ride([2, 1], ['01143000'], ['01151300'], { isRchbl: false }),
      ),
      connection(
        '010500',
        ride([0, 2], ['02140800'], ['02142500']),
        ride([2, 1], ['02143000'], ['02151300'], { isRchbl: false, isCncl: true }),
      ),
    ],
  });
  expect(filtered).toBeUndefined();
  const ways = journeys.map(({ legs }) => legs.find(({ kind }) => kind === 'transfer'));
  expect(ways.map((way) => Object(way).risk)).toEqual([undefined, 'missed', 'missed', undefined]);
  // No section says how long the way is.
  expect(ways[0]).toMatchObject({ minutes: 0 });
  expect(journeys.map(({ durationMinutes }) => durationMinutes)).toEqual([50, 65, 65, 65]);
});

test('hafas: trains whose planned times overlap, and are not caught either, are left out', () => {
  const { journeys, filtered } = read({
    locations: [berlin, hamburg, gesundbrunnen],
    connections: [
      connection(
        '005000',
        ride([0, 2], ['140800'], ['142500']),
        ride([2, 1], ['135200', '142000'], ['141700', '145800']),
      ),
    ],
  });
  expect([journeys.length, filtered]).toEqual([0, 1]);
});

test('hafas: an address without a number is a place, by its position', () => {
  const { journeys, places } = read({
    locations: [address, berlin, southCross],
    connections: [
      connection(
        '001200',
        section('WALK', [0, 1], ['092800'], ['093400']),
        ride([1, 2], ['093400'], ['094000']),
      ),
    ],
  });
  expect(journeys).toMatchObject([
    { durationMinutes: 12, legs: [{ origin: 'hafas:52.52068,13.41644', minutes: 6 }, {}] },
  ]);
  expect(places).toContainEqual({
    id: 'hafas:52.52068,13.41644',
    name: '52.520680, 13.416440',
    zone: 'Europe/Berlin',
    latitude: 52.52068,
    longitude: 13.41644,
  });
});

test('hafas: a station without a number of the system is the one of its UIC number', () => {
  const global = (id: string) => ({
    globalIdL: [
      { id: 'de:1:2', type: 'A' },
      { id, type: 'U' },
    ],
  });
  const { journeys } = read(
    {
      locations: [
        station('Nowhere', '599999', global('8011160')),
        station('Wolfurt', '599998', global('8102333')),
        station('Else', '599997', global('81x')),
      ],
      connections: [
        connection('010000', ride([0, 1], ['090000'], ['100000'])),
        connection('010000', ride([0, 2], ['090000'], ['100000'])),
      ],
    },
    { stationSystem: 'other' },
  );
  const ends = journeys.map((one) => ridesOf(one).map((leg) => [leg.origin, leg.destination]));
  expect(ends).toEqual([[['uic:8011160', 'uic:8102333']], [['uic:8011160', 'other:599997']]]);
});

test('hafas: a station that the table has without a UIC number is the one of that number, unless the query means it', () => {
  const wolfurt: Station = {
    ...{ id: 'obb:8100389', name: 'Wolfurt Bahnhof', zone: 'Europe/Vienna', country: 'AT' },
    ...{ latitude: 47.4571, longitude: 9.741, codes: { obb: '8100389' } },
  };
  const twin: Station = { ...wolfurt, id: 'uic:8102334', codes: { uic: '8102334' } };
  const table = {
    byCode: (system: string, code: string) =>
      [wolfurt, twin].find(({ codes }) => codes[system] === code),
  };
  const carrier = createHafas({
    ...{ id: 'hafas', name: 'HAFAS', baseUrl: 'http://127.0.0.1:1', stations: table },
    profile: { ...profile, zone: 'Europe/Vienna', stationSystem: 'obb' },
  });
  const read = (uic: string, origin: Station = twin) => {
    const globalIdL = [{ id: uic, type: 'U' }];
    const answer = service({
      locations: [station('Wolfurt', '8100389', { globalIdL }), station('Else', '599997')],
      connections: [connection('010000', ride([0, 1], ['090000'], ['100000']))],
    });
    const body = bytesOf(JSON.stringify({ ver: '1.45', err: 'OK', svcResL: [answer] }));
    const ask = { kind: 'earlier', atMs: 7e12 } as const;
    return carrier.normalise(
      { pages: [{ body, receivedAt: 1 }], ask, ended: false },
      { ...queryFor('hafas'), origin },
    );
  };
  const { journeys, places } = read('8102333');
  expect(journeys[0]?.legs[0]?.origin).toBe('uic:8102333');
  const { name, zone, latitude, longitude } = wolfurt;
  expect(places?.[0]).toEqual({ id: 'uic:8102333', name, zone, latitude, longitude });
  // Another row of the table: which is right is not known here, and the journeys are merged by name and place.
  expect(read('8102334').journeys[0]?.legs[0]?.origin).toBe('obb:8100389');
  expect(read('8102333', wolfurt).journeys[0]?.legs[0]?.origin).toBe('obb:8100389');
});

test('hafas: trainStartDate is the operating day; a value that is no date is left out', () => {
  const days = ['20270112', '20271399', 20_270_112, null];
  const { journeys } = read({
    locations: [berlin, hamburg],
    connections: days.map((trainStartDate, index) =>
      connection('013000', ride([0, 1], [`00${index}000`], [`01${index}000`], { trainStartDate })),
    ),
  });
  const known = journeys.map((one) => ridesOf(one)[0]?.operatingDay);
  expect(known).toEqual(['2027-01-12', undefined, undefined, undefined]);
});

test.each([
  [
    'RJX 699',
    '699',
    { name: 'RJX 699', nameS: 'RJX 699', prodCtx: { num: '699', catOut: 'RJX     ' } },
    'RJX',
  ],
  [
    'RJX19999',
    '19999',
    { name: 'RJX19999', nameS: 'RJX19999', prodCtx: { num: '19999', catOut: 'RJX' } },
    'RJX',
  ],
  ['no category', '699', { name: 'RJX 699', nameS: 'RJX 699', prodCtx: { num: '699' } }, 'RJX'],
  [
    'a code of the operator',
    '28599',
    { name: 'RE 28599', nameS: 'DPN', prodCtx: { num: '28599', catOut: 'RE' } },
    'RE',
  ],
  [
    'a line of a digit',
    '33399',
    { name: 'S      8', nameS: '8', prodCtx: { num: '33399', line: '8', catOut: 'S' } },
    'S 8',
  ],
  [
    'a line of its own',
    '74999',
    { name: 'RB85', nameS: 'RB85', prodCtx: { num: '74999', line: 'RB85', catOut: 'Zug' } },
    'RB85',
  ],
  [
    'a short name that is a line',
    '25099',
    { name: 'S 80 (Zug-Nr. 25099)', nameS: 'S 80', prodCtx: { num: '25099', catOut: 'S' } },
    'S 80',
  ],
  ['no short name', '899', { name: 'ICE 899', prodCtx: { num: '899', catOut: 'ICE' } }, 'ICE'],
])('hafas: the name of a train with %s', (_what, number, product, brand) => {
  const { journeys } = read({
    locations: [berlin, hamburg],
    products: [{ cls: 1, ...product }],
    connections: [connection('010000', ride([0, 1], ['090000'], ['100000']))],
  });
  expect(ridesOf(journeys[0] as Journey)[0]).toMatchObject({ brand, number });
});

test('hafas: a number that only the name has is not read: it may be that of a line', () => {
  const { journeys } = read({
    locations: [berlin, hamburg],
    products: [{ cls: 8, name: 'RB 87', prodCtx: { catOut: 'RB' } }],
    connections: [connection('010000', ride([0, 1], ['090000'], ['100000']))],
  });
  expect(ridesOf(journeys[0] as Journey)[0]).not.toHaveProperty('number');
});

const euros = (amount: number) => ({ price: { amount, currency: 'EUR' } });
const kinds = [
  { name: 'Regeltarif', ...euros(340) },
  { name: 'Ermäßigungstarif', ...euros(225) },
  { name: 'Fahrrad', ...euros(210) },
];
test.each([
  [
    'the total, not a supplement',
    {
      totalPrice: { amount: 340, currency: 'EUR' },
      fareSetL: [{ fareL: [{ name: 'Komfortzuschlag', ...euros(175) }, ...kinds] }],
    },
    [340],
  ],
  ['none of fares for several kinds of people', { fareSetL: [{ desc: 'AB', fareL: kinds }] }, []],
  [
    'none of several tickets of one fare',
    {
      fareSetL: [
        {
          fareL: [
            {
              name: 'Einzel',
              ticketL: kinds.map(({ name, price }) => ({ name, prc: price.amount, cur: 'EUR' })),
            },
          ],
        },
      ],
    },
    [],
  ],
  [
    'the one that the server sells',
    {
      fareSetL: [
        {
          fareL: [
            { isBookable: true, isPartPrice: false, price: { amount: 3990 } },
            { name: 'Upgrade', ...euros(900) },
          ],
        },
      ],
    },
    [3990],
  ],
  ['the only one', { fareSetL: [{ fareL: [{ name: 'Einzel', prc: 330, cur: 'EUR' }] }] }, [330]],
  [
    'the only ticket',
    { fareSetL: [{ fareL: [{ name: 'Einzel', ticketL: [{ prc: 330, cur: 'EUR' }] }] }] },
    [330],
  ],
  [
    'none at -1',
    { statusCode: 'NA', fareSetL: [{ fareL: [{ isBookable: false, price: { amount: -1 } }] }] },
    [],
  ],
  [
    'none of a supplement beside a fare without a price',
    {
      fareSetL: [
        { fareL: [{ isBookable: true, price: { amount: -1 } }] },
        { fareL: [{ name: 'Komfortzuschlag', ...euros(490) }] },
      ],
    },
    [],
  ],
  ['none of a total of -1', { totalPrice: { amount: -1 }, fareSetL: null }, []],
  ['none without fares', { statusCode: 'NA', bkgData: {} }, []],
])('hafas: prices of a connection: %s', (_what, trfRes, amounts) => {
  const { journeys } = readAll(
    [
      service({
        locations: [berlin, hamburg],
        connections: [{ ...connection('010000', ride([0, 1], ['090000'], ['100000'])), trfRes }],
      }),
    ],
    {},
    2,
  );
  expect(journeys[0]?.offers.map(({ total }) => total.amount)).toEqual(
    amounts.map((one) => 2 * one),
  );
  expect(journeys[0]?.unpriced).toEqual(amounts.length === 0 ? ['hafas'] : undefined);
});

const found = service({
  locations: [berlin, hamburg],
  connections: [connection('010000', ride([0, 1], ['090000'], ['100000']))],
});

test('hafas: the search answers, whatever other methods answer before it', async () => {
  const other = { meth: 'ServerInfo', err: 'H890' };
  expect(readAll([other, found]).journeys).toHaveLength(1);
  const failed = await failureOf(() =>
    readAll([
      { meth: 'ServerInfo', err: 'OK' },
      { meth: 'TripSearch', err: 'H9300' },
    ]),
  );
  expect(failed.code).toBe('NOT_SERVED');
});

test('hafas: null is absent, and one that the protocol lacks is no harm', () => {
  const answer = {
    locations: [{ ...berlin, crd: null, globalIdL: null }, hamburg],
    products: [{ name: 'ICE 61', cls: null, nameS: null, prodCtx: null }],
    connections: [
      {
        ...connection('010000', { ...ride([0, 1], ['090000'], ['100000']), gis: null }),
        trfRes: null,
        dur: null,
        nobodyKnows: [1],
      },
    ],
  };
  expect(read(answer).journeys).toMatchObject([{ durationMinutes: 60, unpriced: ['hafas'] }]);
});

test('hafas: an additional train, which is not planned, has the times that are expected', () => {
  const { journeys } = read({
    locations: [berlin, hamburg],
    connections: [connection('010000', ride([0, 1], [undefined, '090000'], [undefined, '100000']))],
  });
  expect(journeys).toMatchObject([{ durationMinutes: 60 }]);
});

test('hafas: texts that people are shown are bounded', () => {
  const long = 'x'.repeat(5000);
  const { journeys, places } = read({
    locations: [station(long, '599996'), hamburg],
    products: [{ name: long, cls: 1 }],
    connections: [connection('010000', ride([0, 1], ['090000'], ['100000']))],
  });
  expect(ridesOf(journeys[0] as Journey)[0]?.brand).toHaveLength(500);
  expect(places?.every(({ name }) => name.length <= 500)).toBe(true);
});

test('hafas: without offsets, a walk from an address is on the clocks of its stop', () => {
  const answer = {
    locations: [address, station('London St Pancras', '7015400'), station('Paris', '8814001')],
    connections: [
      connection(
        '022200',
        section('WALK', [0, 1], ['083000'], ['084700']),
        ride([1, 2], ['084700'], ['115200']),
      ),
    ],
  };
  const [journey] = read(answer, { zone: 'Europe/Brussels', stationSystem: 'uic' }).journeys;
  expect(journey).toMatchObject({ durationMinutes: 142, legs: [{ minutes: 17 }, {}] });
});
