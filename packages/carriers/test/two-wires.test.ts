import { createSearch } from '@ticketing/core';
import { expect, test } from 'vitest';
import { now, queryOf, startUpstream } from './upstream.ts';

type Id = 'osdm' | 'hafas' | 'ojp' | 'navitia';
type Pair = readonly [Id, Id];

test.each<[what: string, wires: Pair, origin: string, destination: string, shared: string]>([
  ['Wien to München, over midnight', ['osdm', 'hafas'], '8101003', '8020347', '294'],
  ['Paris to Milano', ['osdm', 'hafas'], '8768600', '8301700', '9241'],
  ['London to Paris, over a zone border', ['osdm', 'hafas'], '7015400', '8727100', '9008'],
  ['London to Paris, in one zone and in two', ['hafas', 'navitia'], '7015400', '8727100', '9008'],
  ['Paris to Zürich, staying in the train', ['ojp', 'navitia'], '8768600', '8503000', '9203'],
])('%s: what %j answer is merged by train', async (_what, wires, origin, destination, shared) => {
  const { sim, http, carriers } = await startUpstream();
  const search = createSearch({
    carriers: wires.map((id) => carriers[id]),
    http: http.clientOf,
    deadlineMs: 30_000,
    now,
  });
  const query = queryOf(origin, destination);
  const { journeys, places } = await search.search(query);
  const day = { origin, destination, date: query.date };
  const [some, others] = wires.map((carrier) =>
    sim.trains({ ...day, carrier }).map(({ departureMs }) => departureMs),
  ) as [number[], number[]];
  const both = some.filter((ms) => others.includes(ms));
  const merged = journeys.filter(({ sources }) => sources.length === 2);
  expect(both.length).toBeGreaterThan(0);
  expect(merged.map(({ departure }) => departure.ms).sort()).toEqual(both);
  expect(journeys).toHaveLength(new Set([...some, ...others]).size);
  expect(merged.some(({ legs }) => legs[0]?.kind === 'ride' && legs[0].number === shared)).toBe(
    true,
  );
  for (const { legs, conflicts } of journeys) {
    expect(conflicts).toBeUndefined();
    for (const leg of legs) expect(places?.[leg.origin]?.name).not.toBe(leg.origin);
  }
});
