import type { Journey } from '@ticketing/core';
import { expect, test } from 'vitest';
import { serveDemoBy } from '../demo.ts';

const date = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
const PATH = `/search?origin=Valencia&destination=Sevilla&date=${date}&split=1`;

test.each([
  ['whole searches in processes', ['--dispatch', 'fork', '--offload', 'search']],
  ['carriers in threads', ['--dispatch', 'piscina']],
])('%s find the journeys of two tickets that this process finds', async (_what, flags) => {
  const own = await serveDemoBy(Date.now, '--latency', '0');
  const other = await serveDemoBy(Date.now, '--latency', '0', ...flags);
  const [expected, found] = await Promise.all([own.get(PATH), other.get(PATH)]);
  expect(expected.body.journeys.length).toBeGreaterThan(0);
  const idsOf = (journeys: readonly Journey[]) => journeys.map(({ id }) => id);
  expect(idsOf(found.body.journeys)).toEqual(idsOf(expected.body.journeys));
  expect(found.body.hubs).toMatchObject([
    { at: 'city:es:madrid', found: found.body.journeys.length },
  ]);
  const headers = { accept: 'application/x-ndjson' };
  const lines: string[] = (await other.get(PATH, { headers })).body.trim().split('\n');
  const events = lines.map((line) => JSON.parse(line));
  const streamed = idsOf(events.flatMap(({ journeys = [] }) => journeys));
  expect(streamed.sort()).toEqual(idsOf(expected.body.journeys).sort());
  expect(events.at(-1)).toMatchObject({ type: 'search-done', hubs: [{ at: 'city:es:madrid' }] });
});

test('with --hubs off split=1 finds through journeys alone, and has no hubs', async () => {
  const { get } = await serveDemoBy(Date.now, '--latency', '0', '--hubs', 'off');
  const route = `/search?origin=Barcelona&destination=Sevilla&date=${date}`;
  const [plain, split] = await Promise.all([get(route), get(`${route}&split=1`)]);
  expect(plain.body.journeys.length).toBeGreaterThan(0);
  expect(plain.body).not.toHaveProperty('hubs');
  expect(split.body.hubs).toEqual([]);
  expect(split.body.journeys.map(({ id }: Journey) => id)).toEqual(
    plain.body.journeys.map(({ id }: Journey) => id),
  );
});
