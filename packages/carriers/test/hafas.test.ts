import type { CarrierQuery } from '@ticketing/core';
import { expect, test } from 'vitest';
import { checksumQuery } from '../src/hafas/request.ts';
import { createHafas, type HafasProfile, type HafasWire } from '../src/index.ts';
import { bytesOf, failureOf, fixture, queryFor } from './upstream.ts';

const profile: HafasProfile = {
  path: '/mgate',
  zone: 'Europe/Vienna',
  version: '1.45',
  client: { type: 'WEB', id: 'X', name: 'x', v: '1' },
  auth: { type: 'AID', aid: 'invented' },
  products: { 1: 'train', 16: 'train', 32: 'bus' },
  currency: 'EUR',
  prices: 'fares',
  stationSystem: 'ibnr',
};
const baseUrl = 'http://127.0.0.1:1';
const hafas = createHafas({ id: 'nacht', name: 'Nacht', baseUrl, profile, now: () => 0 });
const receivedAt = Date.UTC(2026, 10, 20);
const atMs = Date.UTC(2026, 10, 30, 23);
const untilMs = atMs + 86_400_000;
const at = (local: string) => `${local}:00+01:00[Europe/Vienna]`;
const inMunich = (local: string) => `${local}:00+01:00[Europe/Berlin]`;

function read(body: Uint8Array<ArrayBuffer>, query: CarrierQuery = queryFor('hafas')) {
  const ask = { kind: 'day', atMs, untilMs } as const;
  return hafas.normalise({ pages: [{ body, receivedAt }], ask, ended: true }, query);
}

test('hafas reads times over midnight, delays, several fares and their currency', () => {
  const { journeys } = read(fixture('hafas.json'));
  expect(journeys).toHaveLength(4);
  expect(journeys[0]).toMatchObject({
    departure: { ms: Date.UTC(2026, 11, 1, 22, 19), iso: at('2026-12-01T23:19') },
    arrival: { iso: inMunich('2026-12-02T06:10') },
    // It leaves five minutes late, and arrives eight late.
    durationMinutes: 414,
    sources: ['nacht'],
    legs: [
      {
        kind: 'ride',
        origin: 'uic:8101003',
        destination: 'uic:8020347',
        number: '294',
        brand: 'NJ',
        operator: 'Nachtbahn',
        expectedDeparture: { iso: at('2026-12-01T23:24') },
        expectedArrival: { iso: inMunich('2026-12-02T06:18') },
      },
    ],
    offers: [
      { id: '1-0', fareName: 'Flex', total: { amount: 11_250, currency: 'CHF' } },
      {
        id: '0-0',
        seller: 'nacht',
        fareName: 'Spar',
        total: { amount: 3990, currency: 'EUR' },
        travelClass: 'any',
        flexibility: 'unknown',
        fetchedAt: receivedAt,
      },
    ],
  });
  expect(journeys[0]).not.toHaveProperty('unpriced');
});

test('hafas reads changes, a walk whose offset is 0, a bus, a line, and a price of -1 as none', () => {
  const { journeys, places } = read(fixture('hafas.json'));
  const journey = journeys[1];
  expect(journey).toMatchObject({
    transfers: 2,
    departure: { iso: at('2026-12-01T08:30') },
    offers: [],
    unpriced: ['nacht'],
    legs: [
      { kind: 'transfer', origin: 'ibnr:599001', destination: 'uic:8101003', minutes: 8 },
      { kind: 'transfer', origin: 'uic:8101003', destination: 'uic:8101003', minutes: 2 },
      { kind: 'ride', brand: 'RJX', number: '60', destination: 'uic:8101114' },
      { kind: 'transfer', origin: 'uic:8101114', destination: 'ibnr:599001', minutes: 5 },
      { kind: 'ride', mode: 'bus', brand: '24', destination: 'ibnr:8002091' },
      { kind: 'transfer', origin: 'ibnr:8002091', destination: 'ibnr:8002091', minutes: 5 },
      { kind: 'ride', brand: 'S3', number: '670', operator: 'Regionalbahn' },
    ],
  });
  expect(journey?.legs[4]).not.toHaveProperty('number');
  expect(places).toContainEqual({
    id: 'ibnr:8002091',
    name: 'Freilassing',
    zone: 'Europe/Vienna',
    latitude: 47.837,
    longitude: 12.977,
  });
  const named = new Set(places?.map(({ id }) => id));
  for (const { legs } of journeys) for (const { origin } of legs) expect(named).toContain(origin);
});

test('hafas reads a cancelled ride, an unknown product, the older form of prices, and no fares at all', () => {
  const { journeys } = read(fixture('hafas.json'));
  expect(journeys[2]).toMatchObject({
    legs: [{ cancelled: true, mode: 'other', brand: 'Boat' }],
    offers: [{ fareName: 'Alt', total: { amount: 4550, currency: 'EUR' } }],
  });
  expect(journeys[3]).toMatchObject({ offers: [], unpriced: ['nacht'] });
});

test('hafas multiplies the price of one adult, and reads no fares of a profile without prices', () => {
  const query = { ...queryFor('hafas'), passengers: [{}, {}, {}] };
  expect(read(fixture('hafas.json'), query).journeys[2]?.offers[0]?.total.amount).toBe(3 * 4550);
  const { prices: _prices, currency: _currency, ...timesOnly } = profile;
  const other = createHafas({ id: 'nacht', name: 'Nacht', baseUrl, profile: timesOnly });
  expect(other.capabilities).toMatchObject({ prices: 'none', stationSystem: 'ibnr' });
  const wire: HafasWire = {
    pages: [{ body: fixture('hafas.json'), receivedAt }],
    ask: { kind: 'time', atMs },
    ended: false,
  };
  for (const journey of other.normalise(wire, queryFor('hafas')).journeys) {
    expect(journey).toMatchObject({ offers: [], unpriced: ['nacht'] });
  }
});

test('hafas reads times without offsets on the nights when clocks change', () => {
  const ask = { kind: 'time', atMs } as const;
  const body = fixture('hafas-clock-change.json');
  const wire = { pages: [{ body, receivedAt }], ask, ended: false };
  const { journeys } = hafas.normalise(wire, queryFor('hafas'));
  const [autumn, spring] = journeys;
  expect(autumn).toMatchObject({
    durationMinutes: 330,
    legs: [
      { arrival: { iso: '2027-10-31T02:50:00+02:00[Europe/Vienna]' } },
      { kind: 'transfer', minutes: 0 },
      {
        departure: { iso: '2027-10-31T02:10:00+01:00[Europe/Vienna]' },
        expectedDeparture: { iso: '2027-10-31T02:15:00+01:00[Europe/Vienna]' },
      },
    ],
  });
  expect(spring).toMatchObject({ durationMinutes: 60 });
});

test('hafas has tokens of the pages around a day, and what it covers', () => {
  expect(read(fixture('hafas.json'))).toMatchObject({
    covers: { fromMs: atMs, untilMs },
    pages: { earlier: `${atMs}|1|OB|MT#1`, later: `${untilMs}|` },
  });
  const wire: HafasWire = {
    pages: [{ body: fixture('hafas.json'), receivedAt }],
    ask: { kind: 'time', atMs },
    ended: false,
  };
  const latest = Date.UTC(2026, 11, 1, 22, 19);
  expect(hafas.normalise(wire, queryFor('hafas'))).toMatchObject({
    covers: { fromMs: atMs, untilMs: latest },
    pages: { later: `${latest}|1|OF|MT#2` },
  });
});

const golden = new TextDecoder().decode(fixture('hafas.json'));

test.each([
  [
    'has no ride',
    '{"type":"JNY","dep":{"locX":0,"dTimeS":"123000"',
    '{"type":"DEVI","dep":{"locX":0,"dTimeS":"123000"',
  ],
  ['leaves the way between two rides', '"TRSF"', '"DEVI"'],
  ['has a section of an unknown kind', '"TRSF"', '"TAXI"'],
  [
    'calls at a place that does not exist',
    '{"locX":3,"aTimeS":"112000"',
    '{"locX":99,"aTimeS":"112000"',
  ],
  ['has no planned time', '"dTimeS":"103000",', ''],
  ['walks back in time', '"aTimeS":"105700"', '"aTimeS":"104700"'],
  ['arrives before it leaves', '"aTimeS":"143400"', '"aTimeS":"093400"'],
])('hafas leaves out and counts a journey that %s', (_what, from, to) => {
  const body = bytesOf(golden.replace(from, to));
  expect(golden).toContain(from);
  expect(read(body)).toMatchObject({ filtered: 1, journeys: { length: 3 } });
});

test('hafas: an answer whose journeys are all left out has none, and the reasons', () => {
  const body = bytesOf(
    golden.replace('"A=1@O=München Hbf@L=008000261@","type":"S","name":"München Hbf"', '"A=4@"'),
  );
  expect(read(body)).toMatchObject({
    journeys: [],
    filtered: 4,
    leftOut: { 'without a stop or an address': 4 },
  });
});

test.each([
  ['"amount":3990', '"amount":"39,90"', 'a number at `amount`, got 39,90'],
  ['"amount":3990', '"amount":39.5', 'an amount in whole minor units of EUR, got 0.395'],
  ['"currency":"CHF"', '"currency":"Fr."', 'an ISO 4217 code, got Fr.'],
  [
    '"dTimeS":"231900"',
    '"dTimeS":"241900"',
    'YYYY-MM-DDTHH:MM of the years 1973 to 2199, got 2026-12-01T24:19:00',
  ],
  ['"dTimeS":"231900"', '"dTimeS":"2319"', 'a time of six to nine digits, got 2319'],
  ['"dTZOffset":60', '"dTZOffset":6000', 'an offset in minutes, got 6000'],
  ['"dTZOffset":60', '"dTZOffset":"an hour"', 'a number at `dTZOffset`, got an hour'],
  [
    '"date":"20261201"',
    '"date":"20261301"',
    'YYYY-MM-DDTHH:MM of the years 1973 to 2199, got 2026-13-01T00:00',
  ],
  ['"date":"20261201"', '"date":"1 December"', 'a day of eight digits, got 1 December'],
  ['"outConL":[', '"outConL":7,"x":[', 'a list at `outConL`, got 7'],
  ['"svcResL":[', '"svcResL":[],"x":[', 'an answer to `TripSearch` at `svcResL`, got a list'],
])('hafas: %s as %s is PROTOCOL', async (from, to, message) => {
  expect(golden).toContain(from);
  const error = await failureOf(() => read(bytesOf(golden.replace(from, to))));
  expect(error).toMatchObject({
    code: 'PROTOCOL',
    message: `Cannot read answer of \`nacht\`: it must have ${message}`,
  });
});

const errors = {
  AUTH: 'AUTH R5000 CLIENTVERSION VERSION',
  BAD_REQUEST: 'R0001 R0002 PARAMETER PARSE METHOD_NA H455 H460 H500 H892 H9320 H9380 H9381',
  NO_RESULTS: 'H890 H891 H9240 NO_MATCH SQ005',
  NOT_SERVED: 'LOCATION H390 H9220 H9260 H9280 H9300 H895',
  DATE_OUT_OF_RANGE: 'H9360',
  HTTP: 'S1 R0007 PROBLEMS H_UNKNOWN H9230 H9250 H410 H899 H900 SQ001 TI001',
  // Those that are not known are the server's, too.
  UPSTREAM: 'SOMETHING_NEW toString',
};

test.each(Object.entries(errors))('hafas: %s is what %s mean', async (code, own) => {
  for (const err of own.split(' ')) {
    const envelope = { ver: '1.45', err, svcResL: [] };
    const service = { err: 'OK', svcResL: [{ meth: 'TripSearch', err }] };
    for (const answer of [envelope, service]) {
      const error = await failureOf(() => read(bytesOf(JSON.stringify(answer))));
      expect(error, err).toMatchObject({ code, retryable: code === 'HTTP' || code === 'UPSTREAM' });
      expect(error.message).toBe(`Cannot ask \`nacht\`: it answered ${err}`);
    }
  }
});

// Computed with `md5sum` and `xxd`, not with this code.
test('hafas signs a body by both kinds of checksum', () => {
  const salt = '00ff10';
  expect(checksumQuery('{"x":"ü"}', { kind: 'checksum', salt })).toBe(
    '?checksum=be5ee5e18c528520b1e494f82de69cd7',
  );
  expect(checksumQuery('{"x":"ü"}', { kind: 'mic-mac', salt })).toBe(
    '?mic=1c989ab005aeea0958f1868ff0f110f1&mac=6d0bd60e8594282187dd7c39ef476520',
  );
  expect(checksumQuery('{"x":"ü"}', { kind: 'none' })).toBe('');
});
