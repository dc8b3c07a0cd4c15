import {
  createJourney,
  createLocalClock,
  type Leg,
  type RideLeg,
  type TransferLeg,
} from '@ticketing/core';
import { expect, test } from 'vitest';
import { barcelona, madrid, offer, train } from './trains.ts';

const clock = createLocalClock();
const ride = (origin: string, destination: string, from: string, to: string): RideLeg => ({
  kind: 'ride',
  origin,
  destination,
  number: '3063',
  departure: clock.fromLocal(`2026-12-01T${from}`, 'Europe/Madrid'),
  arrival: clock.fromLocal(`2026-12-01T${to}`, 'Europe/Madrid'),
});

test('createJourney() derives times, duration and transfers', () => {
  const walk: TransferLeg = { kind: 'transfer', origin: 'b', destination: 'c', minutes: 10 };
  const legs = [
    walk,
    ride('a', 'b', '06:15', '07:00'),
    walk,
    ride('c', 'd', '07:30', '09:00'),
    walk,
  ];
  const journey = createJourney({ source: 'renfe', legs, offers: [] });
  expect(journey).toMatchObject({
    departure: { iso: '2026-12-01T06:15:00+01:00[Europe/Madrid]' },
    arrival: { iso: '2026-12-01T09:00:00+01:00[Europe/Madrid]' },
    durationMinutes: 185,
    transfers: 1,
    sources: ['renfe'],
    legs,
  });
  expect(structuredClone(journey)).toEqual(journey);
  expect(JSON.parse(JSON.stringify(journey))).toEqual(journey);
});

test('createJourney() counts the ways at the ends, without those that nobody knows', () => {
  const walk: TransferLeg = { kind: 'transfer', origin: 'a', destination: 'b', minutes: 7 };
  const train = ride('b', 'c', '07:00', '08:00');
  const minutes = (legs: readonly Leg[]) =>
    createJourney({ source: 'x', legs, offers: [] }).durationMinutes;
  expect(minutes([train])).toBe(60);
  expect(minutes([walk, train])).toBe(67);
  expect(minutes([walk, walk, train, walk])).toBe(81);
  expect(minutes([{ ...walk, nearby: true }, train, { ...walk, nearby: true }])).toBe(60);
});

const expected = (from: string, to: string) => ({
  expectedDeparture: clock.fromLocal(`2026-12-01T${from}`, 'Europe/Madrid'),
  expectedArrival: clock.fromLocal(`2026-12-01T${to}`, 'Europe/Madrid'),
});

test('createJourney() counts the minutes that are expected', () => {
  const late = { ...ride('a', 'b', '06:00', '07:00'), ...expected('06:10', '07:25') };
  const journey = createJourney({ source: 'x', legs: [late], offers: [] });
  expect(journey).toMatchObject({
    departure: late.departure,
    arrival: late.arrival,
    durationMinutes: 75,
  });
});

test('createJourney() takes trains whose planned times overlap when the second is late enough', () => {
  const change: TransferLeg = { kind: 'transfer', origin: 'b', destination: 'b', minutes: 9 };
  const late = { ...ride('b', 'c', '06:30', '07:00'), ...expected('07:12', '07:40') };
  const legs = [ride('a', 'b', '06:00', '07:00'), change, late];
  expect(createJourney({ source: 'x', legs, offers: [] })).toMatchObject({
    legs,
    durationMinutes: 100,
  });
});

test('createJourney() marks a transfer to a train that is expected to have left', () => {
  const change: TransferLeg = { kind: 'transfer', origin: 'b', destination: 'b', minutes: 5 };
  const late = { ...ride('a', 'b', '06:00', '07:00'), ...expected('06:20', '07:20') };
  const next = ride('b', 'c', '07:05', '08:00');
  const legsOf = (legs: readonly Leg[]) => createJourney({ source: 'x', legs, offers: [] }).legs;
  expect(legsOf([late, change, next])).toEqual([late, { ...change, risk: 'missed' }, next]);
  const cancelled = { ...next, cancelled: true as const };
  expect(legsOf([late, change, cancelled])).toEqual([late, change, cancelled]);
  const waits = { ...next, ...expected('07:20', '08:10') };
  expect(legsOf([late, change, waits])).toEqual([late, change, waits]);
});

test('createJourney() counts minutes over a clock change', () => {
  const night = train({ at: '2027-10-31T01:00', until: '2027-10-31T05:00' });
  expect(night.durationMinutes).toBe(300);
});

test('createJourney() sorts the offers, cheapest first', () => {
  const offers = [offer('b', 300), offer('a', 300), offer('a', 100), offer('a', 200)];
  expect(train({ offers }).offers.map(({ id }) => id)).toEqual([
    'a-100',
    'a-200',
    'a-300',
    'b-300',
  ]);
  expect(offers[0]?.id).toBe('b-300');
});

test('createJourney() gives the same train the same id, whoever sells it, in every version', () => {
  const id = train({ number: '3063', brand: 'AVE' }).id;
  expect(id).toBe('j-qo5bak15x3n2o');
  expect(train({ number: '3063', source: 'other', at: '2026-12-01T06:20' }).id).toBe(id);
  expect(train({ number: '3063', operatingDay: '2026-12-01' }).id).toBe(id);
  expect(train({ number: '3063', operatingDay: '2026-11-30' }).id).not.toBe(id);
  expect(train({ number: '3064' }).id).not.toBe(id);
  expect(train({ number: '3063', destination: madrid.id, origin: barcelona.id }).id).not.toBe(id);
});

test('createJourney() names a train without number by its times, brand and operator', () => {
  const id = train({ brand: 'AVE' }).id;
  expect(train({ brand: 'AVE' }).id).toBe(id);
  expect(train({ brand: 'AVLO' }).id).not.toBe(id);
  expect(train({ brand: 'AVE', at: '2026-12-01T06:16' }).id).not.toBe(id);
  expect(train({ brand: 'AVE', operator: 'Renfe' }).id).not.toBe(id);
});

test('createJourney() refuses legs that are no journey', () => {
  const make = (legs: readonly RideLeg[]) => () => createJourney({ source: 'x', legs, offers: [] });
  const error = (got: string, expected = 'legs in order of time') =>
    expect.objectContaining({
      code: 'ERR_JOURNEY',
      message: `Cannot create journey: it must have ${expected}, got ${got}`,
    });
  expect(make([])).toThrow(error('0 legs without one', 'at least one ride'));
  const backwards = ride('a', 'b', '08:00', '07:00');
  expect(make([backwards])).toThrow(
    error(`${backwards.departure.iso} to ${backwards.arrival.iso}`),
  );
  const early = ride('b', 'c', '06:30', '09:00');
  expect(make([ride('a', 'b', '06:00', '07:00'), early])).toThrow(
    error(`${early.departure.iso} to ${early.arrival.iso}`),
  );
});

test('createJourney() names the field of a leg or an offer that is missing or wrong', () => {
  const legs = [ride('a', 'b', '06:00', '07:00')];
  const { fetchedAt: _fetchedAt, ...undated } = offer('a', 1);
  const refused = (parts: object, parameter: string, message: string) =>
    expect(() => createJourney({ source: 'x', legs, offers: [], ...parts } as never)).toThrow(
      expect.objectContaining({
        code: 'ERR_JOURNEY',
        message: `Cannot create journey: ${message}`,
        data: expect.objectContaining({ parameter }),
      }),
    );
  const undatedAt = 'offers[0].fetchedAt';
  refused({ offers: [undated] }, undatedAt, '`offers[0].fetchedAt` is missing');
  const priceless = [offer('a', 1), { ...undated, total: undefined }];
  refused({ offers: priceless }, 'offers[1].total', '`offers[1].total` is missing');
  const timeless = [{ ...legs[0], departure: { ms: Number.NaN, iso: 'never' } }];
  const ms = 'legs[0].departure.ms';
  refused({ legs: timeless }, ms, '`legs[0].departure.ms` must be a number, got NaN');
  refused({ offers: null }, 'offers', '`offers` must be a list, got null');
});
