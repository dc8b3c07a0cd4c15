import { createCoalescer } from '@ticketing/batching';
import { createSearch } from '@ticketing/core';
import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import { expect, onTestFinished, test } from 'vitest';
import { libraryFamilies, writeFamilies } from '../src/prometheus/index.ts';
import { measure, seriesOf } from './measured.ts';
import { useLibraries } from './prometheus/use-libraries.ts';
import { searchQuery } from './search-query.ts';

test('searches and carriers are measured', async () => {
  const measured = measure();
  const carrier = (id: string, request: () => Promise<unknown>) => ({
    id,
    name: id,
    request,
    normalise: () => ({ journeys: [] }),
  });
  const search = createSearch({
    carriers: [
      carrier('well', async () => undefined),
      carrier('broken', () => Promise.reject(new Error('Madrid is down'))),
    ],
    deadlineMs: 600_000,
  });
  await search.search(searchQuery());
  await search.search(searchQuery());
  const result = await measured();
  expect(result['ticketing.search']).toEqual([{ 'ticketing.outcome': 'partial', value: 2 }]);
  expect(result['ticketing.carrier.duration']).toEqual([
    { 'ticketing.carrier': 'well', 'ticketing.carrier.state': 'empty', value: 2 },
    {
      'ticketing.carrier': 'broken',
      'ticketing.carrier.state': 'error',
      'error.type': 'INTERNAL',
      value: 2,
    },
  ]);
});

test('calls of a coalescer are counted as its stats() count them', async () => {
  const measured = measure();
  const coalescer = createCoalescer(async (key: string) => key, {
    name: 'document',
    ttlMs: 60_000,
    maxKeys: 1,
  });
  await Promise.all([coalescer.get('a'), coalescer.get('a'), coalescer.get('a')]);
  await coalescer.get('a');
  await Promise.allSettled([coalescer.get('b'), coalescer.get('c'), coalescer.get('d')]);
  const counted = (await measured())['ticketing.coalescer.calls'] ?? [];
  const { led, joined, hits, overflowed } = coalescer.stats();
  expect({ led, joined, hits, overflowed }).toEqual({ led: 2, joined: 2, hits: 1, overflowed: 2 });
  const outcomes = counted.map(({ 'ticketing.outcome': outcome, value }) => [outcome, value]);
  expect(Object.fromEntries(outcomes)).toEqual({ led, joined, hit: hits, overflowed });
  expect(new Set(counted.map((each) => each['ticketing.coalescer.name']))).toEqual(
    new Set(['document']),
  );
});

test('calls of a dispatcher are counted by outcome, and timed', async () => {
  const measured = measure();
  const tasks = defineTasks({
    well: () => 1,
    broken: () => {
      throw Object.assign(new Error('no'), { code: 'ERR_BROKEN' });
    },
  });
  const dispatcher = createInProcessDispatcher(tasks, { name: 'pool' });
  onTestFinished(() => dispatcher.close());
  await dispatcher.run('well', undefined);
  await expect(dispatcher.run('broken', undefined)).rejects.toThrow('no');
  const result = await measured();
  const pool = { 'ticketing.dispatch.pool': 'pool' };
  expect(result['ticketing.dispatch.tasks']).toEqual([
    { ...pool, 'ticketing.outcome': 'completed', value: 1 },
    { ...pool, 'ticketing.outcome': 'failed', 'error.type': 'ERR_BROKEN', value: 1 },
  ]);
  expect(result['ticketing.dispatch.active']).toEqual([{ ...pool, value: 0 }]);
  expect(result['ticketing.dispatch.wait']).toEqual([{ ...pool, value: 2 }]);
  expect(result['ticketing.dispatch.run']).toEqual([{ ...pool, value: 2 }]);
});

test('metrics equal the counts of stats(), for every figure that both have', async () => {
  const measured = measure();
  const read = await useLibraries();
  const counted = seriesOf(writeFamilies(libraryFamilies, { source: read() }).text);
  const both = [...(await measured.series())].filter(
    ([series]) => !series.startsWith('ticketing_stream_items_total'),
  );
  expect(both.length).toBeGreaterThan(25);
  expect(both.map(([series]) => [series, counted.get(series)])).toEqual(both);
});
