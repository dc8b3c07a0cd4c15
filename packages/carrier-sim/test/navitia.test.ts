import { expect, test } from 'vitest';
import type { CarrierSim, Train } from '../src/index.ts';
import { encodeNavitia } from '../src/index.ts';
import { uic8Of } from '../src/timetable/europe/stations.ts';
import { date, startedSim } from './started-sim.ts';

const [london, paris, milano, wien] = ['7015400', '8727100', '8301700', '8101003'] as const;
const idOf = (uic: string): string => `stop_area:SIM:${uic8Of(uic)}`;
const [from, to] = [idOf(london), idOf(paris)];
const right = {
  from,
  to,
  datetime: '20261201T080000Z',
  datetime_represents: 'departure',
  min_nb_journeys: '3',
};

const get = (
  sim: CarrierSim,
  parameters: Record<string, string> = right,
  { region = 'simulated', authorization = 'key' } = {},
) =>
  fetch(`${sim.url}/navitia/v1/coverage/${region}/journeys?${new URLSearchParams(parameters)}`, {
    headers: authorization === '' ? {} : { authorization },
  });

interface Journey {
  readonly departure_date_time: string;
  readonly sections: readonly {
    readonly display_informations?: { readonly trip_short_name: string };
  }[];
}

async function journeysOf(response: Response): Promise<readonly Journey[]> {
  return ((await response.json()) as { readonly journeys: readonly Journey[] }).journeys;
}

const numbers = (journeys: readonly Journey[]) =>
  journeys.map(({ sections }) =>
    sections.flatMap((one) => one.display_informations?.trip_short_name ?? []).join(),
  );
const numbersOf = (trains: readonly Train[]) =>
  trains.map(({ connection, ...train }) =>
    (connection ?? [train]).map(({ number }) => number).join(),
  );
const trainsOf = (sim: CarrierSim, destination: string = paris) =>
  sim.trains({ carrier: 'navitia', origin: london, destination, date });

test('navitia answers with the journeys from the time on, on the clocks of the region', async () => {
  const sim = await startedSim();
  const response = await get(sim);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const body = await response.text();
  const { journeys, links, context } = JSON.parse(body);
  const wanted = trainsOf(sim).filter(({ departureMs }) => departureMs >= Date.UTC(2026, 11, 1, 8));
  expect(numbers(journeys)).toEqual(numbersOf(wanted.slice(0, 3)));
  expect(body).toBe(encodeNavitia(wanted.slice(0, 3), { links }));
  expect(context.timezone).toBe('Europe/Paris');
  // 08:01 in London.
  expect(journeys[0].departure_date_time).toBe('20261201T090100');
  const [next, previous] = links.map(({ href }: { href: string }) => new URL(href).searchParams);
  expect(next.get('datetime')).toBe('20261201T090101');
  expect(previous.get('datetime_represents')).toBe('arrival');
  expect(Object.keys(sim.requests().navitia.attempts)).toEqual([`${london}-${paris} ${date}`]);
});

test('navitia has all journeys of a time, or so many; arrivals are those before', async () => {
  const sim = await startedSim();
  const all = trainsOf(sim);
  const day = { ...right, datetime: '20261201T000000', timeframe_duration: '86400' };
  expect(numbers(await journeysOf(await get(sim, day)))).toEqual(numbersOf(all));
  sim.setPlan('navitia', { pageSize: 2 });
  expect(numbers(await journeysOf(await get(sim, day)))).toEqual(numbersOf(all.slice(0, 2)));
  sim.setPlan('navitia', { pageSize: null });
  const noon = Date.UTC(2026, 11, 1, 12);
  const before = {
    ...right,
    min_nb_journeys: '2',
    datetime: '2026-12-01T13:00:00+01:00',
    datetime_represents: 'arrival',
  };
  const arrived = all.filter(({ arrivalMs }) => arrivalMs <= noon);
  expect(numbers(await journeysOf(await get(sim, before)))).toEqual(numbersOf(arrived.slice(-2)));
  const direct = { ...day, to: idOf(milano), max_nb_transfers: '0' };
  expect(trainsOf(sim, milano).length).toBeGreaterThan(0);
  expect(await (await get(sim, direct)).json()).toMatchObject({ error: { id: 'no_solution' } });
});

test.each<[what: string, change: Record<string, string>, status: number, id: string]>([
  ['an unknown station', { to: 'stop_area:SIM:1' }, 404, 'unknown_object'],
  ['a wrong check digit', { from: 'stop_area:SIM:70154006' }, 404, 'unknown_object'],
  ['a station of another network', { from: idOf('7160000') }, 404, 'unknown_object'],
  ['a day without timetable', { datetime: '20271201T080000Z' }, 404, 'date_out_of_bounds'],
  ['a pair without journeys', { to: idOf(wien) }, 200, 'no_solution'],
  ['an unknown parameter', { from_: from }, 400, 'unknown_object'],
  ['a time that is none', { datetime: '20261301T080000Z' }, 400, 'unknown_object'],
  ['a time in letters', { datetime: 'noon' }, 400, 'unknown_object'],
  ['a long time', { timeframe_duration: '90000' }, 400, 'unknown_object'],
  ['an unknown freshness', { data_freshness: 'fresh' }, 400, 'unknown_object'],
  ['a count in letters', { min_nb_journeys: 'x' }, 400, 'unknown_object'],
])('navitia answers %s with its error', async (_what, change, status, id) => {
  const sim = await startedSim();
  const response = await get(sim, { ...right, ...change });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: { id, message: expect.any(String) } });
});

test('navitia wants a key, a region that it has, and a path that it has', async () => {
  const sim = await startedSim();
  expect((await get(sim, right, { authorization: '' })).status).toBe(401);
  const elsewhere = await get(sim, right, { region: 'elsewhere' });
  expect(elsewhere.status).toBe(404);
  expect(await elsewhere.json()).toMatchObject({ error: { id: 'unknown_object' } });
  const other = await fetch(`${sim.url}/navitia/v1/coverage`, {
    headers: { authorization: 'key' },
  });
  expect(other.status).toBe(404);
  expect(await other.json()).toMatchObject({ error: { id: 'unknown_api' } });
  const { from: _, ...without } = right;
  expect((await get(sim, without)).status).toBe(400);
});

test('navitia throttles without a time to wait', async () => {
  const sim = await startedSim();
  sim.setPlan('navitia', { fault: { kind: 'throttled' } });
  const response = await get(sim);
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBeNull();
});

test('navitia has fares of some journeys, in hundredths, each with its ticket', async () => {
  const sim = await startedSim();
  const trains = trainsOf(sim);
  const { journeys, tickets } = JSON.parse(encodeNavitia(trains));
  const found = journeys.filter(({ fare }: { fare: { found: boolean } }) => fare.found);
  expect(found).toHaveLength(trains.filter(({ fares }) => fares.length > 0).length);
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThan(journeys.length);
  expect(found[0].fare.total).toEqual({
    value: expect.stringMatching(/^\d+\.0$/),
    currency: 'centime',
  });
  expect(tickets.map(({ id }: { id: string }) => id)).toEqual(
    found.map(({ fare }: { fare: { links: { id: string }[] } }) => fare.links[0]?.id),
  );
});
