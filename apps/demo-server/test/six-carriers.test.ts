import type { CarrierStatus, Journey } from '@ticketing/core';
import { expect, test } from 'vitest';
import { CARRIER_NAMES } from '../src/carriers/carriers.ts';
import { closedErrors } from './closed-errors.ts';
import { sharedServer } from './demo.ts';

const server = sharedServer('--latency', '0', '--carriers', CARRIER_NAMES.join());
const DAY = '2026-12-01';

async function search(origin: string, destination: string) {
  const { body } = await server().get(
    `/search?origin=${origin}&destination=${destination}&date=${DAY}`,
  );
  expect(body.complete).toBe(true);
  const journeys: readonly Journey[] = body.journeys;
  const statuses: readonly CarrierStatus[] = body.carriers;
  const answered = statuses.filter(({ state }) => state === 'ok').map(({ carrier }) => carrier);
  return { journeys, statuses, answered, places: body.places };
}

test.each([
  ['Paris', 'Milano', '9241'],
  ['Wien', 'Munich', '294'],
  ['London', 'Paris', '9008'],
])('%s to %s: at least two wires answer, and their trains are merged', async (from, to, number) => {
  const { journeys, answered, places } = await search(from, to);
  expect(answered.length).toBeGreaterThanOrEqual(2);
  const numbers = journeys.flatMap(({ legs }) =>
    legs.flatMap((leg) => (leg.kind === 'ride' ? [leg.number] : [])),
  );
  expect(numbers).toContain(number);
  const merged = journeys.filter(({ sources }) => sources.length >= 2);
  expect(merged.length).toBeGreaterThan(0);
  const seen = journeys.map(({ legs, departure }) => {
    const [first] = legs;
    return `${first?.origin} ${departure.ms} ${first?.kind === 'ride' ? first.number : ''}`;
  });
  expect(new Set(seen).size).toBe(seen.length);
  for (const { legs, conflicts } of journeys) {
    expect(conflicts).toBeUndefined();
    for (const { origin, destination } of legs) {
      for (const id of [origin, destination]) {
        expect(places[id]?.name, id).toMatch(/\p{L}/u);
        expect(places[id].name).not.toBe(id);
      }
    }
  }
});

test('a timetable merges with the carriers that sell its trains, and says that it knows no prices', async () => {
  const { journeys, statuses } = await search('Paris', 'Milano');
  const train = journeys.find(({ legs }) => legs[0]?.kind === 'ride' && legs[0].number === '9241');
  expect(train?.sources).toEqual(expect.arrayContaining(['gtfs', 'hafas', 'osdm']));
  expect(train?.unpriced).toContain('gtfs');
  expect(train?.offers.length).toBeGreaterThan(0);
  expect(statuses.find(({ carrier }) => carrier === 'gtfs')).toMatchObject({ state: 'ok' });
  const { statuses: spanish } = await search('Madrid', 'Barcelona');
  const status = spanish.find(({ carrier }) => carrier === 'gtfs');
  expect(status?.error?.code).toBe('NOT_SERVED');
});

test('a night train of Wien arrives in München on the next day, by the clocks of both ends', async () => {
  const { journeys } = await search('Wien', 'Munich');
  const night = journeys.find(({ legs }) => legs[0]?.kind === 'ride' && legs[0].number === '294');
  expect(night?.departure.iso.slice(0, 10)).toBe(DAY);
  expect(night?.arrival.iso.slice(0, 10)).toBe('2026-12-02');
});

test('Madrid means both of its stations: there are trains to Valencia', async () => {
  const { journeys, places } = await search('Madrid', 'Valencia');
  expect(journeys.length).toBeGreaterThan(5);
  const origins = new Set(journeys.map(({ legs }) => legs[0]?.origin ?? ''));
  expect([...origins].map((id) => places[id].name).join()).toContain('Chamart');
  const { journeys: north } = await search('Madrid', 'Segovia');
  const { journeys: east } = await search('Madrid', 'Barcelona');
  expect([north.length > 0, east.length > 0]).toEqual([true, true]);
});

test.each([
  ['Paris', 'Milano'],
  ['Wien', 'Munich'],
  ['Barcelona', 'Sevilla'],
])(
  '%s to %s with stops: every field is in the OpenAPI document, and whatever has a name is named',
  async (from, to) => {
    const errorsOf = closedErrors((await server().get('/openapi.json')).body);
    const path = `/search?origin=${from}&destination=${to}&date=${DAY}&ages=40,8&stops=1`;
    const { body } = await server().get(path);
    expect(body.complete).toBe(true);
    expect(errorsOf('application/json', body)).toEqual([]);
    const rides = (body.journeys as readonly Journey[]).flatMap(({ legs }) =>
      legs.flatMap((leg) => (leg.kind === 'ride' ? [leg, ...(leg.sections ?? [])] : [])),
    );
    const isNamed = Object.keys(body.operators).length > 0;
    for (const { origin, destination, stops = [], operator } of rides) {
      for (const id of [origin, destination, ...stops.map(({ station }) => station)]) {
        expect(body.places[id]?.name, id).toMatch(/\p{L}/u);
      }
      if (operator !== undefined && isNamed) {
        expect(body.operators[operator] ?? operator).toMatch(/\p{L}/u);
      }
    }
    const { body: plain } = await server().get(path.replace('&stops=1', ''));
    expect(JSON.stringify(plain.journeys)).not.toContain('"stops":');
  },
);
