import type { CarrierAnswer, CarrierQuery, RideLeg } from '@ticketing/core';
import { expect, test } from 'vitest';
import { bytesOf, createCarriers, failureOf, queryOf } from './upstream.ts';

const { ouigo } = createCarriers('http://127.0.0.1:1');

// The shapes that Ouigo's server sends, with other trains and prices: see wires/ouigo.md.

const calls = {
  departure_station: {
    departure_timestamp: '2026-12-01T06:35:00+01:00',
    _u_i_c_station_code: '7160000',
    name: 'Madrid',
  },
  arrival_station: {
    arrival_timestamp: '2026-12-01T09:05:00+01:00',
    _u_i_c_station_code: '7171801',
    name: 'Barcelona',
  },
};

const train = {
  segments: [{ service_name: '06611', service_date: '2026-12-01' }],
  ...calls,
  full: false,
  remaining_seats: null,
  price: 38,
  packages: [{ product_family_id: 'OUIGO_PLUS', name: 'Plus', price: 27.5 }],
};

type Fields = Readonly<Record<string, unknown>>;

function readAnswer(answer: unknown, query: CarrierQuery = queryOf()): CarrierAnswer {
  return ouigo.normalise({ body: bytesOf(JSON.stringify(answer)), receivedAt: 1 }, query);
}

function readTrain(change: Fields, query?: CarrierQuery): CarrierAnswer {
  return readAnswer({ outbound: [{ ...train, ...change }], error: null }, query);
}

const rideOf = (change: Fields, query?: CarrierQuery) => {
  const [journey] = readTrain(change, query).journeys;
  return journey?.legs[0] as RideLeg;
};
const offersOf = (change: Fields) => readTrain(change).journeys[0]?.offers;

test('ouigo: a price is for the whole party, and is not multiplied', () => {
  const query = queryOf('7160000', '7171801', '2026-12-01', 2);
  expect(readTrain({}, query).journeys[0]?.offers).toMatchObject([
    { total: { amount: 3800, currency: 'EUR' } },
  ]);
});

test('ouigo: packages, whose price may not be that of the party, are no offers', () => {
  expect(offersOf({})).toHaveLength(1);
});

test('ouigo: seats that are not counted, and conditions, are not guessed', () => {
  const [offer] = offersOf({}) ?? [];
  expect(offer).not.toHaveProperty('seatsLeft');
  expect(offer).toMatchObject({ flexibility: 'unknown' });
  expect(offersOf({ remaining_seats: 4 })).toMatchObject([{ seatsLeft: 4 }]);
  expect(offersOf({ remaining_seats: '4' })).toMatchObject([{ seatsLeft: 4 }]);
});

test('ouigo: details that no answer has are absent: conditions, remarks, platforms, stops, for whom a price is', () => {
  const query: CarrierQuery = { ...queryOf(), stops: true, passengers: [{ age: 40 }, { age: 3 }] };
  const { journeys, operators } = readTrain({ is_promo: true }, query);
  expect(journeys[0]).not.toHaveProperty('remarks');
  for (const absent of ['departurePlatform', 'arrivalPlatform', 'remarks', 'stops', 'booking']) {
    expect(journeys[0]?.legs[0]).not.toHaveProperty(absent);
  }
  for (const absent of ['conditions', 'passengers']) {
    expect(journeys[0]?.offers[0]).not.toHaveProperty(absent);
  }
  expect(operators).toEqual({ ouigo: 'Ouigo' });
  // Ages are reported as ignored: no answer to a party with children is known.
  expect(ouigo.capabilities?.passengers ?? 'count').toBe('count');
});

test.each<[what: string, change: Fields]>([
  ['no price', { price: null }],
  ['no price and nothing else of it', { price: undefined, full: undefined }],
  ['a train that is full', { full: true }],
])('ouigo: %s is a train without an offer', (_what, change) => {
  expect(readTrain(change)).toMatchObject({ journeys: [{ offers: [] }] });
});

test.each<[what: string, change: Fields]>([
  ['a price below 0', { price: -1 }],
  ['a price between two cents', { price: 1.234 }],
  ['half a seat', { remaining_seats: 0.5 }],
])('ouigo: %s is PROTOCOL', async (_what, change) => {
  expect((await failureOf(() => readTrain(change))).code).toBe('PROTOCOL');
});

test.each<[where: string, change: Fields]>([
  ['its segment', {}],
  ['the train', { segments: null, service_name: '06611' }],
  ['the train, under the other name', { segments: undefined, train_number: '06611' }],
  ['one segment in place of a list', { segments: train.segments[0] }],
  ['two segments of one train', { segments: [train.segments[0], train.segments[0]] }],
])('ouigo: the number of a train is in %s', (_where, change) => {
  expect(readTrain(change).journeys).toMatchObject([
    { transfers: 0, legs: [{ number: '6611', brand: 'OUIGO', operatingDay: '2026-12-01' }] },
  ]);
});

test('ouigo: a train without a number runs nonetheless, on the day that its segment names', () => {
  const ride = rideOf({ segments: [{ service_name: null, service_date: '2026-11-30' }] });
  expect(ride).not.toHaveProperty('number');
  expect(ride).toMatchObject({ operatingDay: '2026-11-30' });
  expect(rideOf({ segments: [{ service_name: 'X 1', service_date: 'soon' }] })).toMatchObject({
    operatingDay: '2026-12-01',
  });
});

const segment = (service_name: string, from: readonly string[], to: readonly string[]) => ({
  service_name,
  departure_station: { _u_i_c_station_code: from[0], departure_timestamp: from[1] },
  arrival_station: { _u_i_c_station_code: to[0], arrival_timestamp: to[1] },
});

test('ouigo: two trains are a journey with a change if each has its times, else they are left out', () => {
  const segments = [
    segment(
      '06611',
      ['7160000', '2026-12-01T06:35:00+01:00'],
      ['7104040', '2026-12-01T07:55:00+01:00'],
    ),
    segment(
      '06713',
      ['7104040', '2026-12-01T08:20:00+01:00'],
      ['7171801', '2026-12-01T09:05:00+01:00'],
    ),
  ];
  expect(readTrain({ segments }).journeys).toMatchObject([
    {
      transfers: 1,
      legs: [{ number: '6611' }, { kind: 'transfer', minutes: 25 }, { number: '6713' }],
    },
  ]);
  const bare = segments.map(({ service_name }) => ({ service_name }));
  expect(readTrain({ segments: bare })).toMatchObject({
    journeys: [],
    filtered: 1,
    leftOut: { 'of trains without the times of the change': 1 },
  });
});

test.each<[timestamp: string, iso: string]>([
  ['2026-12-01T06:35:00+01:00', '2026-12-01T06:35:00+01:00[Europe/Madrid]'],
  ['2026-12-01T06:35:00+0100', '2026-12-01T06:35:00+01:00[Europe/Madrid]'],
  ['2026-12-01T05:35:00Z', '2026-12-01T06:35:00+01:00[Europe/Madrid]'],
  ['2026-12-01T06:35:00', '2026-12-01T06:35:00+01:00[Europe/Madrid]'],
  ['2026-12-01T06:35', '2026-12-01T06:35:00+01:00[Europe/Madrid]'],
])(
  'ouigo: the time %s is %s; without an offset it is that of the station',
  (departure_timestamp, iso) => {
    const departure_station = { ...calls.departure_station, departure_timestamp };
    expect(rideOf({ departure_station }).departure.iso).toBe(iso);
  },
);

test('ouigo: a station is known by its UIC number, in whichever table the query has it', () => {
  const query = queryOf();
  const codes = { uic: '7161200' };
  const destination = { ...query.destination, id: 'book:1', name: 'Elsewhere', codes };
  const arrival_station = { ...calls.arrival_station, _u_i_c_station_code: '7161200' };
  expect(rideOf({ arrival_station }, { ...query, destination })).toMatchObject({
    destination: 'book:1',
  });
});

test.each<[what: string, answer: unknown]>([
  ['an empty list', { outbound: [], error: null }],
  ['null in place of a list', { outbound: null, blocs_cms_outbound: ['NO_RESULTS'] }],
])('ouigo: %s is a day without trains', (_what, answer) => {
  expect(readAnswer(answer)).toEqual({ journeys: [] });
});

test.each<[error: unknown, code: string]>([
  [{ code: 'NO_ROUTE' }, 'NOT_SERVED'],
  [{ code: 'S3_1' }, 'UPSTREAM'],
  [{ code: null, message: 'Try later' }, 'UPSTREAM'],
  ['Try later', 'UPSTREAM'],
  [{}, 'UPSTREAM'],
  [true, 'UPSTREAM'],
])('ouigo: the error %j is %s, never one of the decoder', async (error, code) => {
  expect((await failureOf(() => readAnswer({ outbound: null, error }))).code).toBe(code);
});
