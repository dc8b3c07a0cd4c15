// Shapes of real answers, which wires/osdm.md names: written anew, with other codes and times.
import type { CarrierHttpRequest, CarrierQuery, Journey, RideLeg } from '@ticketing/core';
import { expect, test } from 'vitest';
import { bytesOf, createCarriers, failureOf, queryOf } from './upstream.ts';

const { osdm } = createCarriers('http://127.0.0.1:1');
const ask = { atMs: Date.UTC(2026, 10, 30, 23), by: 'departure', direction: 'later' } as const;

function read(
  trips: readonly object[],
  offers: readonly object[] = [],
  query: CarrierQuery = queryOf('8500010', '8301700'),
) {
  const body = bytesOf(JSON.stringify({ trips, offers }));
  return osdm.normalise({ pages: [{ ask, offers: body }], whole: true, receivedAt: 1 }, query);
}

const [basel, bern, milano] = ['8500010', '8507000', '8301700'];
const place = (uic: string) => ({ objectType: 'StopPlaceRef', stopPlaceRef: `urn:uic:stn:${uic}` });
const at = (time: string) => (time.includes('T') ? time : `2026-12-01T${time}:00+01:00`);
type End = readonly [uic: string, time: string, expected?: string];
const timed = (id: string, from: End, to: End, number = '9299') => {
  const call = ([uic, time, expected]: End, name: string) => ({
    stopPlaceRef: place(uic),
    stopPlaceName: 'Stop',
    [name]: { timetabledTime: at(time), ...(expected && { estimatedTime: at(expected) }) },
  });
  const service = {
    mode: { ptMode: 'TRAIN' },
    publishedServiceName: `TGV ${number}`,
    vehicleNumbers: [number],
  };
  return {
    id,
    timedLeg: { start: call(from, 'serviceDeparture'), end: call(to, 'serviceArrival'), service },
  };
};
const way = (transferMode: string, start: object, end: object, duration: string) => ({
  id: `w-${transferMode}`,
  transferLeg: { transferMode, start, end, duration },
});
const trip = (duration: string, transfers: number, ...legs: readonly object[]) => ({
  id: 't1',
  duration,
  transfers,
  legs,
});
const ridesOf = ({ legs }: Journey) => legs.filter((leg): leg is RideLeg => leg.kind === 'ride');

const first = timed('l1', [basel, '08:34'], [bern, '08:53']);
const second = timed('l2', [bern, '08:56'], [milano, '11:38']);
const whole = timed('l1', [basel, '08:34'], [milano, '11:38']);

test.each(['REMAIN_IN_VEHICLE', 'CHANGE_WITHIN_VEHICLE'])(
  'osdm: %s is no change, but a ride of two sections',
  (mode) => {
    const stay = way(mode, place(bern), place(bern), 'PT3M');
    const { journeys } = read([trip('PT3H4M', 0, first, stay, second)]);
    expect(journeys).toMatchObject([
      {
        transfers: 0,
        durationMinutes: 184,
        legs: [
          {
            kind: 'ride',
            origin: 'uic:8500010',
            destination: 'uic:8301700',
            number: '9299',
            sections: [{}, { origin: 'uic:8507000' }],
          },
        ],
      },
    ]);
    expect(journeys[0]?.legs).toHaveLength(1);
    expect(journeys[0]?.id).toBe(read([trip('PT3H4M', 0, whole)]).journeys[0]?.id);
  },
);

test.each([
  'WALK',
  'PROTECTED_CONNECTION',
  'GUARANTEED_CONNECTION',
  'CHECK_IN',
  'CHECK_OUT',
  'HOVER',
])('osdm: a transfer by %s is a change', (mode) => {
  const { journeys } = read([
    trip('PT3H4M', 1, first, way(mode, place(bern), place(bern), 'PT3M'), second),
  ]);
  expect(journeys).toMatchObject([{ transfers: 1, durationMinutes: 184 }]);
});

test.each(['PARK_AND_RIDE', 'BIKE_AND_RIDE', 'CAR_HIRE', 'BIKE_HIRE'])(
  'osdm: a way by %s is left out',
  (mode) => {
    const found = read([
      trip('PT3H4M', 1, first, way(mode, place(bern), place(bern), 'PT3M'), second),
    ]);
    expect(found).toMatchObject({
      journeys: [],
      filtered: 1,
      leftOut: { [`by ${mode.toLowerCase()}`]: 1 },
    });
  },
);

test('osdm: durations are the durations of trips: with walks at the ends and delays', () => {
  const address = { name: 'Lane 3', geoPosition: { longitude: 7.59021, latitude: 47.547 } };
  const trips = [
    trip('PT19M', 0, first),
    trip('PT23M', 0, way('WALK', address, place(basel), 'PT4M'), first),
    trip(
      'PT28M',
      0,
      way('WALK', place(bern), place(basel), 'PT4M'),
      first,
      way('WALK', place(bern), place(milano), 'PT5M'),
    ),
    trip('PT31M', 0, timed('l1', [basel, '08:34', '08:34'], [bern, '08:53', '09:05'])),
  ];
  const journeys = trips.map((one) => read([one]).journeys[0]);
  expect(journeys.map((one) => one?.durationMinutes)).toEqual([19, 23, 28, 31]);
  expect(journeys[1]?.legs[0]).toEqual({
    kind: 'transfer',
    origin: 'osdm:47.54700,7.59021',
    destination: 'uic:8500010',
    minutes: 4,
  });
  expect(journeys[2]?.legs.at(-1)).toMatchObject({
    origin: 'uic:8507000',
    destination: 'uic:8301700',
    minutes: 5,
  });
});

test('osdm: times without an offset are on the clocks of their stops', () => {
  const local = timed(
    'l1',
    ['7015400', '2026-12-01T18:55:00'],
    ['8727100', '2026-12-01T22:13:00'],
    '9051',
  );
  const offer = { ...offerOf('o1', 18_360, ['p1']), preBookableUntil: '2026-12-01T18:45:00' };
  const { journeys } = read([trip('PT2H18M', 0, local)], [offer], queryOf('7015400', '8727100'));
  expect(journeys).toMatchObject([
    {
      departure: { iso: '2026-12-01T18:55:00+00:00[Europe/London]' },
      arrival: { iso: '2026-12-01T22:13:00+01:00[Europe/Paris]' },
      durationMinutes: 138,
      offers: [{ id: 'o1' }],
    },
  ]);
  // Nobody says whose clocks show it.
  expect(journeys[0]?.offers[0]).not.toHaveProperty('validUntil');
});

test('osdm: a local time at an unknown station counts where both ends show the same', () => {
  const ride = (from: string) =>
    timed('l1', [from, '2026-12-01T18:55:00'], ['9999999', '2026-12-01T22:13:00']);
  expect(read([trip('PT3H18M', 0, ride(basel))]).journeys).toMatchObject([
    { durationMinutes: 198 },
  ]);
  const abroad = read([trip('PT2H18M', 0, ride('7015400'))], [], queryOf('7015400', '8727100'));
  expect(abroad).toMatchObject({ journeys: [], filtered: 1 });
});

test('osdm: a late train that is caught is shown, one that is not reached is marked', () => {
  const late = timed('l2', [bern, '08:45', '09:01'], [milano, '11:27', '11:38']);
  const missed = timed('l1', [basel, '08:34', '08:34'], [bern, '08:53', '09:05']);
  const walk = way('WALK', place(bern), place(bern), 'PT3M');
  const caught = read([trip('PT3H4M', 1, first, walk, late)]);
  expect(caught.journeys).toMatchObject([{ durationMinutes: 184, legs: [{}, { minutes: 3 }, {}] }]);
  expect(caught.journeys[0]?.legs[1]).not.toHaveProperty('risk');
  expect(read([trip('PT3H4M', 1, missed, walk, second)]).journeys[0]?.legs[1]).toMatchObject({
    risk: 'missed',
  });
});

interface OfferParts {
  readonly legs?: readonly string[];
  readonly name?: string;
  readonly travelClass?: string;
  readonly currency?: string;
  readonly seats?: number;
}

function offerOf(
  id: string,
  amount: number,
  passengers: readonly string[],
  { legs, name = 'Single', travelClass = 'SECOND', currency = 'GBP', seats }: OfferParts = {},
) {
  return {
    offerId: id,
    passengerRefs: passengers,
    tripCoverage: { coveredTripId: 't1', ...(legs && { coveredLegIds: legs }) },
    offerSummary: {
      minimalPrice: { currency, amount, scale: 2 },
      overallTravelClass: travelClass,
      overallFlexibility: 'SEMI_FLEXIBLE',
    },
    products: [{ id: 'p', summary: name }],
    ...(seats !== undefined && { admissionOfferParts: [{ numericAvailability: seats }] }),
  };
}

const two = { ...queryOf('8500010', '8301700'), passengers: [{ age: 40 }, { age: 9 }] };
const three = { ...two, passengers: [{ age: 40 }, { age: 9 }, { age: 7 }] };
const pricesOf = (
  offers: readonly object[],
  query: CarrierQuery,
  legs: readonly object[] = [whole],
) =>
  read([trip('PT3H4M', 0, ...legs)], offers, query).journeys[0]?.offers.map(
    ({ id, total, rides, passengers }) => [
      id,
      total.amount,
      ...(rides ? [rides] : []),
      ...(passengers ? [{ for: passengers }] : []),
    ],
  );

test('osdm: an offer for each traveller is one offer for all, at their sum', () => {
  const offers = [
    offerOf('o1', 1900, ['p1'], { seats: 5 }),
    offerOf('o2', 950, ['p2'], { name: 'Child', seats: 2 }),
  ];
  const [journey] = read([trip('PT3H4M', 0, whole)], offers, two).journeys;
  expect(journey?.offers).toMatchObject([
    {
      id: 'o1+o2',
      seller: 'osdm',
      total: { amount: 2850, currency: 'GBP' },
      travelClass: 'second',
      flexibility: 'semi',
      seatsLeft: 2,
    },
  ]);
  expect(journey?.offers[0]).not.toHaveProperty('fareName');
  expect(journey).not.toHaveProperty('unpriced');
});

test.each<[what: string, offers: readonly object[], query: CarrierQuery, right: unknown]>([
  [
    'the cheapest of each traveller',
    [offerOf('a', 1900, ['p1']), offerOf('b', 1700, ['p1']), offerOf('c', 950, ['p2'])],
    two,
    [['b+c', 2650]],
  ],
  [
    'one for each class',
    [
      offerOf('a', 1900, ['p1']),
      offerOf('b', 950, ['p2']),
      offerOf('c', 2900, ['p1'], { travelClass: 'FIRST' }),
      offerOf('d', 1450, ['p2'], { travelClass: 'FIRST' }),
    ],
    two,
    [
      ['a+b', 2850],
      ['c+d', 4350],
    ],
  ],
  [
    'two together and one alone',
    [offerOf('a', 1900, ['p1']), offerOf('b', 950, ['p2', 'p3']), offerOf('c', 600, ['p2'])],
    three,
    [['a+b', 2850]],
  ],
  [
    'for whom they are, where one has none',
    [offerOf('a', 1900, ['p1']), offerOf('b', 2000, ['p1']), offerOf('c', 600, ['p3'])],
    three,
    [
      ['c', 600, { for: [2] }],
      ['a', 1900, { for: [0] }],
    ],
  ],
  [
    'no sum of two classes',
    [offerOf('a', 1900, ['p1']), offerOf('b', 950, ['p2'], { travelClass: 'FIRST' })],
    two,
    [
      ['b', 950, { for: [1] }],
      ['a', 1900, { for: [0] }],
    ],
  ],
  [
    'no sum of two currencies',
    [offerOf('a', 1900, ['p1']), offerOf('b', 950, ['p2'], { currency: 'EUR' })],
    two,
    [
      ['b', 950, { for: [1] }],
      ['a', 1900, { for: [0] }],
    ],
  ],
  [
    'no sum that counts one twice',
    [offerOf('a', 1900, ['p1', 'p2']), offerOf('b', 950, ['p2', 'p3'])],
    three,
    [
      ['b', 950, { for: [1, 2] }],
      ['a', 1900, { for: [0, 1] }],
    ],
  ],
  ['none for others', [offerOf('a', 1900, ['p9'])], two, []],
  [
    'beside those for all',
    [offerOf('a', 1900, ['p1']), offerOf('b', 950, ['p2']), offerOf('all', 2500, ['p1', 'p2'])],
    two,
    [
      ['all', 2500],
      ['a+b', 2850],
    ],
  ],
  [
    'none without a price',
    [{ ...offerOf('a', 1900, ['p1', 'p2']), offerSummary: { minimalPrice: null } }],
    two,
    [],
  ],
])('osdm: offers for some travellers: %s', (_what, offers, query, right) => {
  expect(pricesOf(offers, query)).toEqual(right);
});

test('osdm: an offer for one of the trains that people stay in is no offer for the ride', () => {
  const legs = [first, way('REMAIN_IN_VEHICLE', place(bern), place(bern), 'PT3M'), second];
  const offers = [
    offerOf('a', 900, ['p1', 'p2'], { legs: ['l1'] }),
    offerOf('b', 2900, ['p1', 'p2'], { legs: ['l1', 'l2'] }),
  ];
  expect(pricesOf(offers, two, legs)).toEqual([['b', 2900]]);
});

test('osdm: an offer for one of two rides is for that one', () => {
  const legs = [first, way('WALK', place(bern), place(bern), 'PT3M'), second];
  const offers = [
    offerOf('a', 900, ['p1'], { legs: ['l1'] }),
    offerOf('b', 450, ['p2'], { legs: ['l1'] }),
  ];
  expect(pricesOf(offers, two, legs)).toEqual([['a+b', 1350, [0]]]);
});

test.each(['urn:uic:stn:a/b c', 'x y', 'U3xB='.repeat(34)])(
  'osdm: the reference %j is a place',
  (reference) => {
    const leg = structuredClone(first);
    leg.timedLeg.start.stopPlaceRef = { objectType: 'StopPlaceRef', stopPlaceRef: reference };
    const { journeys, filtered } = read([trip('PT19M', 0, leg)]);
    expect(filtered).toBeUndefined();
    expect(ridesOf(journeys[0] as Journey)[0]?.origin).toBe(`osdm:${reference}`);
  },
);

test('osdm: left out journeys are counted by their reason', () => {
  const taxi = { id: 'x', continuousLeg: { service: { continuousMode: 'DEMAND_RESPONSIVE' } } };
  expect(
    read([trip('PT19M', 0, first), { ...trip('PT19M', 0, first, taxi), id: 't2' }]),
  ).toMatchObject({
    journeys: { length: 1 },
    filtered: 1,
    leftOut: { 'with a leg that has no timetable': 1 },
  });
});

test.each([
  ['a page for people', 200, { 'content-type': 'text/html' }, '<!DOCTYPE html><title>Wait</title>'],
  ['the way to one', 302, { location: 'https://wait.example/' }, ''],
])('osdm: %s is AUTH', async (_what, status, headers, body) => {
  const send = async () => ({ status, headers, body: bytesOf(body), receivedAt: 1 });
  const context = {
    http: { send },
    signal: new AbortController().signal,
    deadline: Number.MAX_SAFE_INTEGER,
  };
  const error = await failureOf(() => osdm.request(queryOf('8500010', '8301700'), context));
  expect(error.code).toBe('AUTH');
});

test.each<[co2Emission: unknown, grams: number | undefined]>([
  [{ value: 3.1, unit: 'kg' }, 3100],
  [{ value: 0.0426, unit: 'KG' }, 43],
  [{ value: 850, unit: 'g' }, 850],
  [{ value: 0, unit: 'g' }, 0],
  // Units are open: another one is not guessed, nor is a figure that is none.
  [{ value: 3.1, unit: 'lb' }, undefined],
  [{ value: 3.1 }, undefined],
  [{ value: '3.1', unit: 'kg' }, undefined],
  [{ value: -1, unit: 'kg' }, undefined],
  [null, undefined],
  [3.1, undefined],
])('osdm: co2Emission %j of a ride is %s grams', (co2Emission, grams) => {
  const leg = { ...whole, timedLeg: { ...whole.timedLeg, co2Emission } };
  const [journey] = read([trip('PT3H4M', 0, leg)]).journeys;
  expect(journey && ridesOf(journey)[0]?.co2Grams).toBe(grams);
});

test('osdm: emissions of several passengers are not known to be those of one', () => {
  const leg = { ...whole, timedLeg: { ...whole.timedLeg, co2Emission: { value: 3, unit: 'kg' } } };
  const query = queryOf('8500010', '8301700', undefined, 2);
  const [journey] = read([trip('PT3H4M', 0, leg)], [], query).journeys;
  expect(journey && ridesOf(journey)[0]?.co2Grams).toBeUndefined();
});

test.each<[first: unknown, second: unknown, grams: number | undefined]>([
  [{ value: 1, unit: 'kg' }, { value: 2, unit: 'kg' }, 3000],
  [{ value: 1, unit: 'kg' }, undefined, undefined],
  [undefined, { value: 2, unit: 'kg' }, undefined],
])('osdm: a ride of two sections has the emissions of both, %j and %j', (one, other, grams) => {
  const emitting = (leg: ReturnType<typeof timed>, co2Emission: unknown) => ({
    ...leg,
    timedLeg: { ...leg.timedLeg, co2Emission },
  });
  const stay = way('REMAIN_IN_VEHICLE', place(bern), place(bern), 'PT3M');
  const legs = [emitting(first, one), stay, emitting(second, other)];
  const [journey] = read([trip('PT3H4M', 0, ...legs)]).journeys;
  expect(journey && ridesOf(journey)[0]?.co2Grams).toBe(grams);
});

test('osdm: the currency of a query is asked for, and none where it has none', async () => {
  const bodies: { readonly offerSearchCriteria: object }[] = [];
  const http = {
    send: async ({ body = '' }: CarrierHttpRequest) => {
      bodies.push(JSON.parse(String(body)));
      const answer = bytesOf(JSON.stringify({ trips: [], offers: [] }));
      return { status: 200, headers: {}, body: answer, receivedAt: 1 };
    },
  };
  const context = { http, signal: AbortSignal.timeout(10_000), deadline: 8e14 };
  const query = { ...queryOf('8500010', '8301700'), time: '08:00' };
  await osdm.request({ ...query, currency: 'CHF' }, context);
  await osdm.request(query, context);
  expect(bodies.map(({ offerSearchCriteria }) => offerSearchCriteria)).toEqual([
    { offerMode: 'COLLECTIVE', currency: 'CHF' },
    { offerMode: 'COLLECTIVE' },
  ]);
  expect(osdm.capabilities?.native).toContain('currency');
});
