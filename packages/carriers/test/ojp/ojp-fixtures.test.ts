import type { CarrierAnswer } from '@ticketing/core';
import { expect, test } from 'vitest';
import { createOjp } from '../../src/index.ts';
import { failureOf } from '../upstream.ts';
import {
  changed,
  delivery,
  golden,
  golden1,
  options,
  read,
  wireOf,
  zurichBern,
} from './ojp-answers.ts';

const zurichAt = (local: string, offset = '+01:00') => `${local}${offset}[Europe/Zurich]`;

test('ojp reads a train: platforms of stations, expected times, the name of a line, no price', () => {
  const { journeys } = read(golden);
  expect(journeys[0]).toMatchObject({
    departure: { ms: Date.UTC(2026, 11, 1, 7, 2), iso: zurichAt('2026-12-01T08:02:00') },
    arrival: { iso: zurichAt('2026-12-01T08:58:00') },
    // As expected: it leaves three and a half minutes late, and arrives two late.
    durationMinutes: 55,
    transfers: 0,
    offers: [],
    sources: ['ojp'],
    unpriced: ['ojp'],
    legs: [
      {
        kind: 'ride',
        origin: 'uic:8503000',
        destination: 'uic:8507000',
        expectedDeparture: { iso: zurichAt('2026-12-01T08:05:30') },
        expectedArrival: { iso: zurichAt('2026-12-01T09:00:00') },
        brand: 'IC 8',
        number: '712',
        operator: 'ojp:11',
        operatingDay: '2026-12-01',
      },
    ],
  });
  expect(journeys[0]?.legs[0]).not.toHaveProperty('mode');
  expect(journeys[0]?.legs[0]).not.toHaveProperty('cancelled');
});

test.each([
  ['PT0S', 0],
  ['PT29S', 0],
  ['PT59S', 1],
  ['PT7M30S', 8],
  ['P0Y0M0DT0H41M0S', 41],
  ['PT2M44.0S', 3],
  ['PT90M', 90],
  ['PT2H', 120],
  ['PT2H5M', 125],
  ['P1D', 1440],
  ['P2D', 2880],
  ['P1DT1H1M1.5S', 1501],
  ['P999D', 1_438_560],
  ['PT9999H', 599_940],
  ['PT99999M', 99_999],
])('ojp: a walk of %s takes %i minutes', (duration, minutes) => {
  const { journeys } = read(changed(['PT7M30S', duration]));
  expect(journeys[1]?.legs[1]).toMatchObject({ kind: 'transfer', minutes });
});

test.each(['7M', 'P1000D', 'PT10000H', 'PT100000M', 'P1W', '-PT7M', 'PT7M PT7M'])(
  'ojp: %j is no duration, and the walk has no minutes',
  (duration) => {
    const { journeys } = read(changed(['PT7M30S', duration]));
    expect(journeys[1]?.legs[1]).toMatchObject({ kind: 'transfer', minutes: 0 });
  },
);

test('ojp reads a change: a bus, a walk, a cancelled train, a stop that no table has', () => {
  const { journeys, places } = read(golden);
  const [bus, walk, train] = journeys[1]?.legs ?? [];
  expect(journeys[1]?.transfers).toBe(1);
  expect(bus).toMatchObject({
    mode: 'bus',
    brand: 'B 12',
    departure: { iso: zurichAt('2026-12-01T23:10:00') },
    destination: 'uic:8590210',
  });
  expect(bus).not.toHaveProperty('number');
  expect(walk).toEqual({
    kind: 'transfer',
    origin: 'uic:8590210',
    destination: 'uic:8590210',
    minutes: 8,
  });
  expect(train).toMatchObject({
    brand: 'EC',
    number: '57',
    cancelled: true,
    arrival: { iso: zurichAt('2026-12-02T02:10:00') },
  });
  expect(places).toEqual([
    {
      id: 'uic:8503000',
      name: 'Zürich HB',
      zone: 'Europe/Zurich',
      latitude: 47.3782,
      longitude: 8.5392,
    },
    {
      id: 'uic:8507000',
      name: 'Bern',
      zone: 'Europe/Zurich',
      latitude: 46.9491,
      longitude: 7.4385,
    },
    {
      id: 'uic:8590210',
      name: 'Hinterwald & Söhne, Post',
      zone: 'Europe/Zurich',
      latitude: 46.9,
      longitude: 8.01,
    },
  ]);
});

test('ojp reads 1.0: other prefixes and names, the number in an extension, a walk at the end', () => {
  const { journeys, places } = read(golden1);
  expect(journeys).toMatchObject([
    {
      arrival: { iso: '2026-12-01T13:00:00+01:00[Europe/Vienna]' },
      legs: [
        { brand: 'RJX', number: '160', operator: 'ojp:81', destination: 'uic:8101114' },
        { kind: 'transfer', origin: 'uic:8101114', destination: 'ojp:at:81:2:0:1', minutes: 65 },
      ],
    },
  ]);
  expect(places?.at(-1)).toEqual({
    id: 'ojp:at:81:2:0:1',
    name: 'Salzburg Süd',
    zone: 'Europe/Zurich',
  });
});

const inDelivery = (content: string) => delivery(`<OJPTripDelivery>${content}</OJPTripDelivery>`);
const problem = (type: string) =>
  inDelivery(
    `<siri:Status>false</siri:Status><siri:ErrorCondition><OJPError><siri:ErrorText>Sorry</siri:ErrorText><TripProblemType>${type}</TripProblemType></OJPError></siri:ErrorCondition>`,
  );

test.each([
  ['TRIP_NOTRIPFOUND', 'NO_RESULTS'],
  ['JOURNEYPLANNER_TRIP_NOTRIPFOUND', 'NO_RESULTS'],
  ['TRIP_ORIGINUNKNOWN', 'NOT_SERVED'],
  ['TRIP_DESTINATIONUNKNOWN', 'NOT_SERVED'],
  ['TRIP_VIAUNKNOWN', 'NOT_SERVED'],
  ['LOCATION_NORESULTS', 'NOT_SERVED'],
  ['TRIP_DATETIMEERROR', 'DATE_OUT_OF_RANGE'],
  ['TRIP_DATEOUTOFRANGE', 'DATE_OUT_OF_RANGE'],
  ['TRIP_ORIGINDESTINATIONIDENTICAL', 'BAD_REQUEST'],
  ['OJPGENERIC_REQUESTNOTSUPPORTED', 'BAD_REQUEST'],
  ['TRIP_OTHER', 'UPSTREAM'],
  ['SOMETHING_NEW', 'UPSTREAM'],
])('ojp reads the problem %s without trips as %s', async (type, code) => {
  const error = await failureOf(() => read(problem(type)));
  expect(error.code).toBe(code);
  expect(error.message).toBe(`Cannot ask \`ojp\`: it answered ${type}`);
});

test.each([
  [
    'the delivery itself',
    inDelivery(
      '<ErrorCondition><TripProblemType>TRIP_NOTRIPFOUND</TripProblemType></ErrorCondition>',
    ),
    'NO_RESULTS',
  ],
  [
    'the text of an error of SIRI',
    inDelivery(
      '<siri:ErrorCondition><siri:NoInfoForTopicError number="0"><siri:ErrorText>TRIP_NOTRIPFOUND</siri:ErrorText></siri:NoInfoForTopicError></siri:ErrorCondition>',
    ),
    'NO_RESULTS',
  ],
  [
    'a problem of 1.0',
    inDelivery('<Problem><Type>TRIP_ORIGINUNKNOWN</Type></Problem>'),
    'NOT_SERVED',
  ],
  [
    'the service',
    delivery('<siri:ErrorCondition><siri:AccessNotAllowedError/></siri:ErrorCondition>', 'false'),
    'AUTH',
  ],
  [
    'the service, that it is asked too often',
    delivery('<ErrorCondition><AllowedResourceUsageExceededError/></ErrorCondition>', 'false'),
    'RATE_LIMITED',
  ],
  [
    'the service, that it is down',
    delivery('<ErrorCondition><ServiceNotAvailableError/></ErrorCondition>', 'false'),
    'OVERLOADED',
  ],
  ['status alone', inDelivery('<siri:Status>false</siri:Status>'), 'PROTOCOL'],
  ['another delivery', delivery('<OJPStopEventDelivery/>'), 'PROTOCOL'],
  ['another root', '<a><body/></a>', 'PROTOCOL'],
  ['a page for people', '<html><body/></html>', 'AUTH'],
])('ojp reads an error that is said by %s', async (_where, body, code) => {
  expect((await failureOf(() => read(body))).code).toBe(code);
});

test('ojp reads the problem in the body of a 400; without one it is BAD_REQUEST', async () => {
  expect((await failureOf(() => read(problem('TRIP_ORIGINUNKNOWN'), 400))).code).toBe('NOT_SERVED');
  expect((await failureOf(() => read(problem('TRIP_NEW'), 400))).code).toBe('BAD_REQUEST');
  expect((await failureOf(() => read('<h1>Bad Request</h1>', 400))).code).toBe('BAD_REQUEST');
  expect((await failureOf(() => read(golden, 400))).code).toBe('BAD_REQUEST');
});

test('ojp: problems beside trips are hints; no trips and no problem is an empty answer', () => {
  const hint =
    '<ErrorCondition><TripProblemType>TRIP_ORIGINEQUIVALENT</TripProblemType></ErrorCondition>';
  expect(read(changed(['<CalcTime>', `${hint}<CalcTime>`])).journeys).toHaveLength(2);
  expect(read(inDelivery('<siri:Status>true</siri:Status>')).journeys).toEqual([]);
});

test('ojp: the first known problem counts', async () => {
  const two = inDelivery(
    '<ErrorCondition><TripProblemType>TRIP_REALTIMEINCOMPLETE</TripProblemType></ErrorCondition><ErrorCondition><TripProblemType>TRIP_NOTRIPFOUND</TripProblemType></ErrorCondition>',
  );
  expect((await failureOf(() => read(two))).code).toBe('NO_RESULTS');
});

const WALK = '<TransferType>walk</TransferType>';
test.each<[what: string, from: string, to: string]>([
  ['a section by taxi', WALK, '<TransferType>taxi</TransferType>'],
  ['a leg of an unknown kind', '<TransferLeg>', '<X/><HoverLeg/></Leg><Leg><TransferLeg>'],
  [
    'a ride that begins at an address',
    '<siri:StopPointRef>8503000</siri:StopPointRef>',
    '<GeoPosition/>',
  ],
  ['trains that are not in order', '2026-12-01T23:35:00Z', '2026-12-01T23:15:00Z'],
])('ojp leaves out one journey with %s, and counts it', (_what, from, to) => {
  const answer: CarrierAnswer = read(changed([from, to]));
  expect(answer).toMatchObject({ filtered: 1, journeys: [{ transfers: 0 }] });
  expect(answer.places?.map(({ id }) => id)).toEqual(['uic:8503000', 'uic:8507000']);
  expect(read(golden)).not.toHaveProperty('filtered');
});

test.each<[what: string, from: string, to: string]>([
  ['a time that is none', '2026-12-01T07:02:00Z</TimetabledTime>', 'soon</TimetabledTime>'],
  [
    'a day that is none',
    '2026-12-01T07:02:00Z</TimetabledTime>',
    '2026-02-30T07:02:00Z</TimetabledTime>',
  ],
  ['an expected time that is none', '2026-12-01T07:05:30Z', '07:05'],
])('ojp: %s is PROTOCOL, in one trip of many', async (_what, from, to) => {
  expect((await failureOf(() => read(changed([from, to])))).code).toBe('PROTOCOL');
});

test.each([
  ['rail', undefined],
  ['intercityRail', undefined],
  ['coach', 'bus'],
  ['tram', 'tram'],
  ['underground', 'metro'],
  ['water', 'ferry'],
  ['funicular', 'other'],
  ['hyperloop', 'other'],
])('ojp reads the mode %s as %s', (mode, expected) => {
  const { journeys } = read(changed(['<PtMode>rail</PtMode>', `<PtMode>${mode}</PtMode>`]));
  expect(journeys[0]?.legs[0]).toMatchObject(expected === undefined ? {} : { mode: expected });
  expect('mode' in (journeys[0]?.legs[0] ?? {})).toBe(expected !== undefined);
});

test('ojp: a time without an offset is local at the server; a trip is cancelled as a whole, or at a stop', () => {
  const local = read(
    changed(['2026-12-01T07:02:00Z</TimetabledTime>', '2026-12-01T08:02:00</TimetabledTime>']),
  );
  expect(local.journeys[0]?.departure.iso).toBe(zurichAt('2026-12-01T08:02:00'));
  const cancelled = (from: string, to: string) =>
    read(changed([from, to])).journeys[0]?.legs.map((leg) => leg.kind === 'ride' && leg.cancelled);
  expect(
    cancelled('<Transfers>0</Transfers>', '<Transfers>0</Transfers><Cancelled>true</Cancelled>'),
  ).toEqual([true]);
  expect(
    cancelled('</ServiceDeparture>', '</ServiceDeparture><NotServicedStop>true</NotServicedStop>'),
  ).toEqual([true]);
});

test('ojp resolves stops by the number space of its option, and by no other', () => {
  const ibnr = createOjp({ ...options, stationSystem: 'ibnr' });
  const { journeys } = ibnr.normalise(wireOf(golden), zurichBern());
  // In Switzerland the IBNR is the UIC number: the parent of the platform is known, its location id is not.
  expect(journeys.map(({ legs }) => legs[0]?.destination)).toEqual([
    'ojp:ch:1:sloid:7000:4:7',
    'ojp:ch:1:sloid:90210:0:1',
  ]);
  expect(journeys[0]?.legs[0]?.origin).toBe('uic:8503000');
});
