import { type CarrierAnswer, type CarrierQuery, createLocalClock } from '@ticketing/core';
import { expect, test } from 'vitest';
import {
  ask,
  bytesOf,
  createCarriers,
  fixture,
  queryOf,
  startUpstream,
  type Upstream,
} from './upstream.ts';

const clock = createLocalClock();
type Id = 'osdm' | 'hafas' | 'ojp' | 'navitia';
const ids: readonly Id[] = ['osdm', 'hafas', 'ojp', 'navitia'];
const [zurich, milano] = ['8503000', '8301700'];
/** Where a carrier runs. */
const pairOf = (id: Id): readonly [origin: string, destination: string] =>
  id === 'navitia' ? ['8768600', zurich] : [zurich, milano];

/** Asks for the page beside an answer. */
function follow(
  upstream: Upstream,
  carrier: Upstream['carriers'][Id],
  query: CarrierQuery,
  answer: CarrierAnswer,
  direction: 'earlier' | 'later',
): Promise<CarrierAnswer> {
  const token = answer.pages?.[direction];
  if (token === undefined) throw new Error(`no ${direction} page`);
  return ask(upstream, carrier, { ...query, page: { direction, token } });
}

test.each(ids)('%s: a time that no train follows has a page of those before it', async (id) => {
  const [origin, destination] = pairOf(id);
  const upstream = await startUpstream();
  // Nothing is on sale after that day.
  const query = { ...queryOf(origin, destination, '2027-05-19'), time: '23:59' };
  const carrier = upstream.carriers[id];
  const none = await ask(upstream, carrier, query);
  expect(none.journeys).toEqual([]);
  expect(none.pages).toEqual({ earlier: expect.any(String) });
  const { journeys } = await follow(upstream, carrier, query, none, 'earlier');
  const trains = upstream.sim.trains({
    carrier: id,
    origin,
    destination,
    date: query.date,
  });
  expect(Math.max(...journeys.map(({ departure }) => departure.ms))).toBe(
    trains.at(-1)?.departureMs,
  );
});

test.each(ids)('%s: a time that no train arrives by has a page of those after it', async (id) => {
  const [origin, destination] = pairOf(id);
  const upstream = await startUpstream();
  // Nothing is on sale before today.
  const query = { ...queryOf(origin, destination, '2026-11-20'), time: '05:00', arriveBy: true };
  const carrier = upstream.carriers[id];
  const none = await ask(upstream, carrier, query);
  expect(none.journeys).toEqual([]);
  expect(none.pages).toEqual({ later: expect.any(String) });
  const { journeys } = await follow(upstream, carrier, query, none, 'later');
  const trains = upstream.sim.trains({
    carrier: id,
    origin,
    destination,
    date: query.date,
  });
  expect(Math.min(...journeys.map(({ arrival }) => arrival.ms))).toBe(
    Math.min(...trains.map(({ arrivalMs }) => arrivalMs)),
  );
});

test.each(ids)('%s: no page repeats a journey of the one before', async (id) => {
  const [origin, destination] = pairOf(id);
  const upstream = await startUpstream();
  upstream.sim.setPlan(id, { pageSize: 3 });
  const query = { ...queryOf(origin, destination), time: '12:00' };
  const carrier = upstream.carriers[id];
  const first = await ask(upstream, carrier, query);
  expect(first.journeys).toHaveLength(3);
  for (const direction of ['earlier', 'later'] as const) {
    const next = await follow(upstream, carrier, query, first, direction);
    const both = [...first.journeys, ...next.journeys].map((journey) => journey.id);
    expect(next.journeys.length).toBeGreaterThan(0);
    expect(new Set(both).size).toBe(both.length);
  }
});

test.each(['osdm', 'ojp'] as const)(
  '%s: journeys that arrive in one minute are on pages of one journey',
  async (id) => {
    const upstream = await startUpstream();
    const ends = { origin: '8501120', destination: '8301003' };
    const query = { ...queryOf(ends.origin, ends.destination), time: '00:00', arriveBy: true };
    const trains = upstream.sim.trains({ ...ends, carrier: id, date: query.date });
    const arrivals = new Set(trains.map(({ arrivalMs }) => arrivalMs));
    expect(arrivals.size).toBeLessThan(trains.length);
    const results = { osdm: 1, hafas: 1, ojp: 1, navitia: 1 };
    const { [id]: carrier } = createCarriers(upstream.sim.url, { results });
    let answer = await ask(upstream, carrier, query);
    const departures: number[] = [];
    for (let page = 0; page < 40; page++) {
      answer = await follow(upstream, carrier, query, answer, 'later');
      departures.push(...answer.journeys.map(({ departure }) => departure.ms));
      if (answer.journeys.some(({ departure }) => departure.iso > '2026-12-02')) break;
    }
    expect(departures).toEqual(
      expect.arrayContaining(trains.map(({ departureMs }) => departureMs)),
    );
  },
);

test('osdm: the pages of a day are asked for by the links that the provider gives, else by times', async () => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('osdm', { pageSize: 3 });
  const client = upstream.http.clientOf('osdm');
  /** Paths and first times of the requests for trips. */
  const requestsOf = async (isLinked: boolean) => {
    const requests: { readonly query: string; readonly time: string }[] = [];
    const { osdm } = createCarriers(upstream.sim.url, { mode: 'two-calls', maxPages: 3 });
    const http: typeof client = {
      async send(request) {
        const { pathname, search } = new URL(request.url);
        const answer = await client.send(request);
        if (!pathname.endsWith('/trips-collections')) return answer;
        requests.push({ query: search, time: JSON.parse(String(request.body)).departureTime });
        if (isLinked) return answer;
        const { _links, ...rest } = JSON.parse(new TextDecoder().decode(answer.body));
        return { ...answer, body: bytesOf(JSON.stringify(rest)) };
      },
    };
    await ask(upstream, osdm, queryOf(zurich, milano), { http });
    return requests;
  };
  const linked = await requestsOf(true);
  expect(linked.map(({ query }) => query)).toEqual([
    '',
    expect.stringMatching(/^\?page=after\.\d+$/),
    expect.stringMatching(/^\?page=after\.\d+$/),
  ]);
  expect(new Set(linked.map(({ query }) => query)).size).toBe(3);
  // A link is followed with the criteria of the first request.
  expect(new Set(linked.map(({ time }) => time)).size).toBe(1);
  const timed = await requestsOf(false);
  expect(timed.map(({ query }) => query)).toEqual(['', '', '']);
  expect(new Set(timed.map(({ time }) => time)).size).toBe(3);
});

test('osdm: a search by arrival follows no links, which may lead past slower trains', () => {
  const { trips, offers } = JSON.parse(new TextDecoder().decode(fixture('osdm.json')));
  const { osdm } = createCarriers('http://127.0.0.1:1');
  const query = { ...queryOf('8500010', '8301700'), time: '08:00', arriveBy: true };
  const atMs = clock.epoch('2026-12-01T08:00', 'Europe/Rome');
  const _links = [{ rel: 'next', href: '?page=2' }];
  const page = {
    ask: { atMs, by: 'arrival', direction: 'later' } as const,
    trips: bytesOf(JSON.stringify({ trips, _links })),
    offers: bytesOf(JSON.stringify({ offers })),
  };
  const wire = { pages: [page], whole: false, receivedAt: 1 };
  expect(osdm.normalise(wire, query).pages?.later).toMatch(/^a\d+~j-\w+$/);
});

test('ojp: a day of a server that gives one journey a page goes on, and is not reported as whole', async () => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('ojp', { pageSize: 1 });
  const { journeys, covers } = await ask(upstream, upstream.carriers.ojp, queryOf(zurich, milano));
  expect(journeys.length).toBeGreaterThan(1);
  expect(covers?.untilMs).toBe(journeys.at(-1)?.departure.ms);
});

test('hafas: arrivals after a time cover no departures, those before it only the ones that arrive on the page', async () => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('hafas', { pageSize: 2 });
  const { hafas } = upstream.carriers;
  const query = { ...queryOf('8301700', '8300035', '2027-03-28'), time: '00:00', arriveBy: true };
  const first = await ask(upstream, hafas, query);
  const [earliest = 0] = first.journeys.map(({ arrival }) => arrival.ms).sort((a, b) => a - b);
  const midnight = clock.epoch('2027-03-28T00:00', 'Europe/Rome');
  expect(first.covers).toEqual({ fromMs: earliest + 1, untilMs: midnight });
  const { covers } = await follow(upstream, hafas, query, first, 'later');
  expect(covers?.untilMs).toBe(covers?.fromMs);
});

test('renfe: a train that arrives in the hour that clocks show twice is not left out', async () => {
  const upstream = await startUpstream({ now: () => Date.UTC(2027, 9, 20) });
  upstream.sim.setPlan('renfe', { journeys: 24 });
  const query = queryOf('7192102', '7104307', '2027-10-31');
  const { journeys, filtered } = await ask(upstream, upstream.carriers.renfe, query);
  expect(filtered).toBeUndefined();
  expect(journeys).toHaveLength(24);
});
