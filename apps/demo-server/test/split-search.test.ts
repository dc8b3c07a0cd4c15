import type { HubResult, Journey, Leg, TransferLeg } from '@ticketing/core';
import { expect, test } from 'vitest';
import { usualHubs } from '../src/flags/hub-values.ts';
import { hubsBetween } from '../src/hubs/hubs-between.ts';
import { servedStations } from '../src/search/station-texts.ts';
import { closedErrors } from './closed-errors.ts';
import { sharedServer } from './demo.ts';

const server = sharedServer('--latency', '0');
const VALENCIA_SEVILLA = '/search?origin=Valencia&destination=Sevilla&date=2026-12-01';
const BARCELONA_MALAGA = '/search?origin=Barcelona&destination=Málaga&date=2026-12-01';

const isMarked = (leg: Leg): leg is TransferLeg =>
  leg.kind === 'transfer' && leg.selfTransfer === true;
const splitsOf = (journeys: readonly Journey[]) =>
  journeys.filter(({ legs }) => legs.some(isMarked));

/** Finds what an answer has that the OpenAPI document lacks. */
const wrongIn = async () => closedErrors((await server().get('/openapi.json')).body);

test('split=1 finds two tickets where no carrier sells one, marked and with offers of both', async () => {
  const plain = (await server().get(VALENCIA_SEVILLA)).body;
  expect(plain.journeys).toEqual([]);
  expect(plain).not.toHaveProperty('hubs');
  const { status, body } = await server().get(`${VALENCIA_SEVILLA}&split=1`);
  expect(status).toBe(200);
  expect((await wrongIn())('application/json', body)).toEqual([]);
  expect(body.complete).toBe(true);
  const journeys: readonly Journey[] = body.journeys;
  expect(splitsOf(journeys)).toEqual(journeys);
  expect(journeys.length).toBeGreaterThan(0);
  expect(body.hubs).toMatchObject([
    { at: 'city:es:madrid', minMinutes: 60, maxMinutes: 240, found: journeys.length },
  ]);
  expect(journeys.some(({ sources }) => sources.length === 2)).toBe(true);
  for (const { legs, offers } of journeys) {
    const [way] = legs.filter(isMarked);
    expect(way).toMatchObject({ minutes: 60 });
    const rides = legs.flatMap((leg) => (leg.kind === 'ride' ? [leg] : []));
    const at = legs.indexOf(way as Leg);
    const [before, after] = [legs[at - 1], legs[at + 1]];
    if (before?.kind !== 'ride' || after?.kind !== 'ride') throw new Error('no train beside it');
    expect(after.departure.ms - before.arrival.ms).toBeGreaterThanOrEqual(60 * 60_000);
    const covered = new Set(offers.flatMap((offer) => offer.rides ?? []));
    expect([...covered].sort()).toEqual([...rides.keys()]);
    for (const leg of legs) expect(body.places[leg.origin]?.name).toMatch(/\p{L}/u);
  }
});

test('a stream with split=1 gives the same journeys, and its hubs at the end', async () => {
  const { body } = await server().get(`${VALENCIA_SEVILLA}&split=1`);
  const accept = 'application/x-ndjson';
  const stream = await server().get(`${VALENCIA_SEVILLA}&split=1`, { headers: { accept } });
  const events = stream.body
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line));
  const wrong = await wrongIn();
  for (const event of events) expect(wrong(accept, event)).toEqual([]);
  const ids = events.flatMap(({ journeys = [] }) => journeys.map(({ id }: Journey) => id));
  expect(ids.sort()).toEqual(body.journeys.map(({ id }: Journey) => id).sort());
  const found = ({ hubs }: { hubs: readonly HubResult[] }) =>
    hubs.map((hub) => [hub.at, hub.found]);
  expect(events.at(-1)).toMatchObject({ type: 'search-done', found: ids.length });
  expect(found(events.at(-1))).toEqual(found(body));
});

test('split=1 keeps through journeys, and adds only cheaper or faster ones', async () => {
  const route = BARCELONA_MALAGA;
  const plain: readonly Journey[] = (await server().get(route)).body.journeys;
  const { journeys } = (await server().get(`${route}&split=true`)).body;
  const through = journeys.filter((one: Journey) => !splitsOf([one]).length);
  expect(through.map(({ id }: Journey) => id)).toEqual(plain.map(({ id }) => id));
  const fastest = Math.min(...plain.map((one) => one.durationMinutes));
  const prices = plain.flatMap(({ offers }) => offers.map(({ total }) => total.amount));
  expect(splitsOf(journeys).length).toBeGreaterThan(0);
  for (const { durationMinutes, offers } of splitsOf(journeys)) {
    const least = (ride: number) =>
      Math.min(
        ...offers.flatMap(({ rides, total }) => (rides?.includes(ride) ? [total.amount] : [])),
      );
    const isCheaper = least(0) + least(1) < Math.min(...prices);
    expect(durationMinutes < fastest || isCheaper).toBe(true);
  }
});

test.each([
  ['via=Lyon', 'via'],
  ['page=x', 'page'],
])('split=1 beside %s is a 400 that names it', async (parameters, parameter) => {
  const { status, body } = await server().get(`${VALENCIA_SEVILLA}&split=1&${parameters}`);
  expect(status).toBe(400);
  expect(body).toMatchObject({ parameter });
});

test.each([
  ['London', 'Milano', ['city:fr:paris', 'uic:8503000']],
  ['Barcelona', 'Sevilla', ['city:es:madrid']],
  ['Madrid', 'Paris', ['uic:7171801']],
  ['Madrid', 'Sevilla', []],
])('hubsBetween(%s, %s) are the usual hubs on the way, the shortest way first', (from, to, ids) => {
  const [origin, destination] = [from, to].map((text) => {
    const match = servedStations.find(text);
    if (match.kind !== 'found') throw new Error(`no station ${text}`);
    return match.station;
  });
  if (origin === undefined || destination === undefined) throw new Error('no ends');
  expect(hubsBetween({ origin, destination }, usualHubs).map(({ at }) => at.id)).toEqual(ids);
});

test('hubsBetween() gives three hubs at most', () => {
  const match = servedStations.find('London');
  const milano = servedStations.find('Milano');
  if (match.kind !== 'found' || milano.kind !== 'found') throw new Error('no station');
  const ids = ['uic:8500010', 'uic:8503000', 'city:fr:paris', 'uic:8721202', 'uic:8507000'];
  const settings = ids.map((id) => ({ id, minMinutes: 30 }));
  const between = { origin: match.station, destination: milano.station };
  expect(hubsBetween(between, settings)).toHaveLength(3);
});

test('/openapi.json describes hubs and the mark of a connection that nobody protects', async () => {
  const { body } = await server().get('/openapi.json');
  const { HubResult: hub, TransferLeg: leg, SearchAnswer: answer } = body.components.schemas;
  expect(Object.keys(hub.properties)).toEqual([
    'at',
    'minMinutes',
    'maxMinutes',
    'found',
    'to',
    'from',
  ]);
  expect(leg.properties.selfTransfer.description).toContain('nobody protects');
  expect(answer.properties).toHaveProperty('hubs');
  const names = body.paths['/search'].get.parameters.map(({ name }: { name: string }) => name);
  expect(names).toContain('split');
});
