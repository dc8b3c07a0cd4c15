// Servers that write the same journeys in other shapes, over HTTP: what people are shown of them is the same.
import type { FaultKind } from '@ticketing/carrier-sim';
import { CarrierError, type Journey } from '@ticketing/core';
import { expect, test } from 'vitest';
import { ask, type carrierIds, failureOf, queryFor, queryOf, startUpstream } from './upstream.ts';

type Id = (typeof carrierIds)[number];

const shown = ({ departure, arrival, durationMinutes, transfers, legs, offers }: Journey) => ({
  departure: departure.ms,
  arrival: arrival.ms,
  durationMinutes,
  transfers,
  numbers: legs.flatMap((leg) => (leg.kind === 'ride' ? [leg.number] : [])),
  prices: offers.map(({ total }) => `${total.amount} ${total.currency}`),
});

/** The walks of the simulator's fault, both ends together. */
const WALKS = 10;

test.each<[id: Id, kind: FaultKind, ends: readonly [string, string], moreMinutes: number]>([
  ['hafas', 'walks', ['8101003', '8020347'], WALKS],
  ['hafas', 'nearby', ['8101003', '8020347'], 0],
  ['hafas', 'nameless-fares', ['8101003', '8020347'], 0],
  ['hafas', 'other-method', ['8101003', '8020347'], 0],
  ['ojp', 'walks', ['8768600', '8503000'], WALKS],
  ['ojp', 'opaque-references', ['8768600', '8503000'], 0],
  ['ojp', 'prefixes-1.0', ['8768600', '8503000'], 0],
  ['navitia', 'walks', ['7015400', '8727100'], WALKS],
  ['navitia', 'older-codes', ['8768600', '8503000'], 0],
  ['navitia', 'no-zone', ['7015400', '8727100'], 0],
  ['osdm', 'walks', ['8768600', '8503000'], WALKS],
  ['osdm', 'local-times', ['7015400', '8727100'], 0],
])('%s: with %s the journeys are the same', async (id, kind, ends, moreMinutes) => {
  const upstream = await startUpstream();
  const query = { ...queryOf(...ends), time: '06:00' };
  const plain = await ask(upstream, upstream.carriers[id], query);
  upstream.sim.setPlan(id, { fault: { kind } });
  const other = await ask(upstream, upstream.carriers[id], query);
  expect(plain.journeys.length).toBeGreaterThan(2);
  expect(other.filtered).toBeUndefined();
  expect(other.journeys.map(shown)).toEqual(
    plain.journeys.map((journey) => {
      const one = shown(journey);
      return { ...one, durationMinutes: one.durationMinutes + moreMinutes };
    }),
  );
});

test('ojp: trains whose number is in their name alone have it, except numbers that may be of a line', async () => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('ojp', { fault: { kind: 'named-numbers' } });
  const query = { ...queryOf('8768600', '8503000'), time: '06:00' };
  const { journeys } = await ask(upstream, upstream.carriers.ojp, query);
  const names = journeys.flatMap(({ legs }) =>
    legs.flatMap((leg) => (leg.kind === 'ride' ? [`${leg.brand} ${leg.number}`] : [])),
  );
  expect(names.length).toBeGreaterThan(2);
  for (const name of names) expect(name).toMatch(/^TGV 9\d{3}$/);
});

test('ojp: no trip of a server of 1.0, which says so in a description, is NO_RESULTS', async () => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('ojp', { fault: { kind: 'prefixes-1.0' } });
  const query = queryOf('8503000', '8727100');
  const error = await failureOf(() => ask(upstream, upstream.carriers.ojp, query));
  expect(CarrierError.is(error) && error.code).toBe('NO_RESULTS');
});

test('renfe: trains that do not run are cancelled, and cost nothing', async () => {
  const upstream = await startUpstream();
  const plain = await ask(upstream, upstream.carriers.renfe, queryFor('renfe'));
  upstream.sim.setPlan('renfe', { fault: { kind: 'not-running' } });
  const { journeys } = await ask(upstream, upstream.carriers.renfe, queryFor('renfe'));
  expect(journeys).toHaveLength(plain.journeys.length);
  for (const { legs, offers } of journeys) {
    expect(legs.every((leg) => leg.kind === 'ride' && leg.cancelled)).toBe(true);
    expect(offers).toEqual([]);
  }
});

test('renfe: fares of promotions, and for wheelchairs, are none of what people are shown', async () => {
  const upstream = await startUpstream({
    plan: { renfe: { latency: { kind: 'fixed', ms: 0 }, journeys: 60 } },
  });
  const { journeys } = await ask(upstream, upstream.carriers.renfe, queryFor('renfe'));
  const trains = upstream.sim.trains({
    carrier: 'renfe',
    origin: '7160000',
    destination: '7171801',
    date: '2026-12-01',
  });
  expect(journeys.map(({ offers }) => offers.map(({ total }) => total.amount).sort())).toEqual(
    trains.map(({ fares }) => fares.map(({ cents }) => cents).sort()),
  );
});
