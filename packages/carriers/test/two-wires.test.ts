import { createSearch } from '@ticketing/core';
import { expect, test } from 'vitest';
import { now, queryOf, startUpstream } from './upstream.ts';

test.each([
  ['Wien to München, over midnight', '8101003', '8020347', '294'],
  ['Paris to Milano', '8768600', '8301700', '9241'],
  ['London to Paris, over a zone border', '7015400', '8727100', '9008'],
])('%s: what two wires answer is merged by train', async (_what, origin, destination, shared) => {
  const { sim, http, carriers } = await startUpstream();
  const search = createSearch({
    carriers: [carriers.osdm, carriers.hafas],
    http: http.clientOf,
    deadlineMs: 30_000,
    now,
  });
  const query = queryOf(origin, destination);
  const { journeys, places } = await search.search(query);
  const day = { origin, destination, date: query.date };
  const sold = (carrier: 'osdm' | 'hafas') =>
    sim.trains({ ...day, carrier }).map(({ departureMs }) => departureMs);
  const both = sold('osdm').filter((ms) => sold('hafas').includes(ms));
  const merged = journeys.filter(({ sources }) => sources.length === 2);
  expect(both.length).toBeGreaterThan(0);
  expect(merged.map(({ departure }) => departure.ms).sort()).toEqual(both);
  expect(journeys).toHaveLength(new Set([...sold('osdm'), ...sold('hafas')]).size);
  expect(merged.some(({ legs }) => legs[0]?.kind === 'ride' && legs[0].number === shared)).toBe(
    true,
  );
  for (const { legs, conflicts } of journeys) {
    expect(conflicts).toBeUndefined();
    for (const leg of legs) expect(places?.[leg.origin]?.name).not.toBe(leg.origin);
  }
});
