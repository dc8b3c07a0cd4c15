import type { Context } from '@opentelemetry/api';
import { createCoalescer } from '@ticketing/batching';
import { createMemoryCoordinator, createMemoryStore, shareLoads } from '@ticketing/batching/shared';
import { createStreamCoalescer } from '@ticketing/batching/streams';
import { type Carrier, createScatter, createSearch } from '@ticketing/core';
import { createInProcessDispatcher } from '@ticketing/dispatch';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { treeOf } from './fixtures/telemetry.ts';
import type { TracedTasks } from './fixtures/traced-tasks.ts';
import {
  coalescedSearch,
  inRequest,
  instrument,
  query,
  task,
  tasks,
  telemetry,
  testTrees,
  useAskedServer,
} from './traces-cases.ts';

useAskedServer();
// `test/full` has threads, and workers that die.
testTrees('in-process');
testTrees('fork');

describe('coalesced calls', () => {
  const dispatcher = createInProcessDispatcher<TracedTasks>(tasks);
  afterAll(() => dispatcher.close());

  test('each follower has a span of its own trace, linked to the leader’s', async () => {
    instrument();
    const documents = coalescedSearch(dispatcher, ['one']);
    const ask = (name: string) => inRequest(name, () => documents.get('key'));
    await Promise.all([ask('leader'), ask('follower a'), ask('follower b')]);
    const spans = telemetry.take();
    const traces = new Set(spans.map(({ traceId }) => traceId));
    const trees = [...traces].map((id) => treeOf(spans.filter(({ traceId }) => traceId === id)));
    expect(trees).toContainEqual({
      leader: [{ 'coalesce document': [{ search: [{ 'carrier one': [task] }] }] }],
    });
    expect(trees).toContainEqual({ 'follower a': ['coalesce document'] });
    expect(trees).toContainEqual({ 'follower b': ['coalesce document'] });
    expect(trees).toHaveLength(3);
    const loads = spans.filter(({ name }) => name === 'coalesce document');
    const outcome = 'ticketing.outcome';
    const led = loads.find(({ attributes }) => attributes[outcome] === 'led');
    const joined = loads.filter(({ attributes }) => attributes[outcome] === 'joined');
    expect(led?.attributes['ticketing.coalescer.waiters']).toBe(3);
    expect(joined.map(({ links }) => links)).toEqual([[led?.spanId], [led?.spanId]]);
  });

  test('traceJoins false: followers have no spans', async () => {
    instrument({ traceJoins: false });
    const documents = coalescedSearch(dispatcher, ['one']);
    await Promise.all([documents.get('key'), documents.get('key')]);
    expect(telemetry.take().filter(({ name }) => name === 'coalesce document')).toHaveLength(1);
  });

  test('a failure marks the spans of all who waited for it', async () => {
    instrument();
    const failing = createCoalescer(() => Promise.reject(new TypeError('no')), { name: 'failing' });
    await Promise.allSettled([failing.get('key'), failing.get('key')]);
    const spans = telemetry.take();
    expect(spans.map(({ status, attributes }) => [status, attributes['error.type']])).toEqual([
      [2, 'TypeError'],
      [2, 'TypeError'],
    ]);
  });

  test('without a context manager’s storage our spans are one tree all the same', async () => {
    const { AsyncLocalStorage } = await import('node:async_hooks');
    instrument({ asyncLocalStorage: new AsyncLocalStorage<Context>() });
    const documents = coalescedSearch(dispatcher, ['one']);
    await inRequest('GET /search', () => documents.get('key'));
    const spans = telemetry.take().filter(({ name }) => name !== 'by hand' && name !== 'GET');
    expect(treeOf(spans)).toEqual({
      'GET /search': [
        {
          'coalesce document': [
            { search: [{ 'carrier one': [{ 'dispatch ask': ['task ask'] }] }] },
          ],
        },
      ],
    });
  });
});

test('capture: stations, dates and keys are in spans only when they are asked for', async () => {
  const dispatcher = createInProcessDispatcher<TracedTasks>(tasks);
  onTestFinished(() => dispatcher.close());
  const documents = coalescedSearch(dispatcher, ['one']);
  instrument();
  await documents.get('from Madrid to Barcelona');
  expect(JSON.stringify(telemetry.take())).not.toMatch(/Madrid|Barcelona|\d{4}-\d\d-\d\d/);
  instrument({ capture: 'query' });
  await documents.get('from Madrid to Barcelona');
  const spans = telemetry.take();
  const search = spans.find(({ attributes }) => 'ticketing.search.date' in attributes);
  expect(search?.attributes).toMatchObject({
    'ticketing.search.origin': 'Madrid',
    'ticketing.search.destination': 'Barcelona',
    'ticketing.search.passengers': 1,
  });
  expect(spans.map(({ attributes }) => attributes['ticketing.coalescer.key'])).toContain(
    'from Madrid to Barcelona',
  );
});

test('a carrier that fails marks its own span, and the search is partial', async () => {
  instrument();
  const carrier = (id: string, request: Carrier['request']): Carrier => ({
    id,
    name: id,
    request,
    normalise: () => ({ journeys: [] }),
  });
  const carriers = [
    carrier('well', async () => undefined),
    carrier('broken', () => Promise.reject(new Error('reset'))),
  ];
  await createSearch({ carriers, deadlineMs: 600_000 }).search(query);
  const spans = telemetry.take();
  const of = (name: string) => spans.find((span) => span.name === name);
  expect(of('carrier well')).toMatchObject({
    status: 0,
    attributes: { 'ticketing.carrier.state': 'empty', 'ticketing.carrier.found': 0 },
  });
  expect(of('carrier broken')).toMatchObject({
    status: 2,
    attributes: { 'ticketing.carrier.state': 'error', 'error.type': 'INTERNAL' },
  });
  expect(of('search')?.attributes).toMatchObject({ 'ticketing.outcome': 'partial' });
});

test('a scatter is a span with one for each source, and what fails marks its own', async () => {
  instrument();
  const scatter = createScatter({
    name: 'prices',
    sources: [
      { id: 'shop', run: async () => 1 },
      { id: 'broken', run: () => Promise.reject(new Error('Madrid is down')) },
    ],
    deadlineMs: 600_000,
  });
  await inRequest('GET /prices', () => scatter.ask('bread'));
  const spans = telemetry.take();
  expect(treeOf(spans)).toEqual({
    'GET /prices': [{ 'scatter prices': ['source broken', 'source shop'] }],
  });
  const of = (name: string) => spans.find((span) => span.name === name);
  expect(of('source broken')).toMatchObject({
    status: 2,
    attributes: { 'ticketing.source.state': 'error', 'error.type': 'INTERNAL' },
  });
  expect(of('source shop')).toMatchObject({
    status: 0,
    attributes: { 'ticketing.source': 'shop' },
  });
  expect(of('scatter prices')?.attributes).toMatchObject({ 'ticketing.outcome': 'partial' });
  expect(JSON.stringify(spans)).not.toMatch(/Madrid|bread/);
});

test('a stream has a span to its end, and each reader that joins one of its own trace, linked to it', async () => {
  instrument();
  async function* open(key: string): AsyncGenerator<string> {
    yield key;
    yield key;
  }
  const streams = createStreamCoalescer(open, { name: 'prices' });
  const follow = (name: string) =>
    inRequest(name, async () => {
      for await (const _ of streams.follow('madrid'));
    });
  await Promise.all([follow('leader'), follow('follower')]);
  const spans = telemetry.take();
  const [led, joined] = ['led', 'joined'].map((outcome) =>
    spans.find(({ attributes }) => attributes['ticketing.outcome'] === outcome),
  );
  expect(led).toMatchObject({
    name: 'stream prices',
    parentSpanId: spans.find(({ name }) => name === 'leader')?.spanId,
    attributes: { 'ticketing.stream.name': 'prices', 'ticketing.stream.items': 2 },
  });
  expect(joined).toMatchObject({
    name: 'stream prices',
    parentSpanId: spans.find(({ name }) => name === 'follower')?.spanId,
    links: [led?.spanId],
  });
  expect(JSON.stringify(spans)).not.toContain('madrid');
});

test('a shared load is one load in the traces of all processes, linked where the leader is in this one', async () => {
  instrument();
  const store = createMemoryStore();
  // As two processes over one engine.
  const loaders = ['one', 'another'].map(() => {
    const coordinator = createMemoryCoordinator({ store });
    onTestFinished(() => coordinator.close());
    const load = async (key: string) => {
      await new Promise(setImmediate);
      return inRequest('select', async () => key);
    };
    return createCoalescer(shareLoads(load, { coordinator, name: 'row' }), { name: 'row' });
  });
  await Promise.all(
    loaders.map((loader, at) => inRequest(`GET /${at}`, () => loader.get('madrid'))),
  );
  const spans = telemetry.take();
  const shared = spans.filter(({ name }) => name === 'share row');
  const [led, followed] = ['led', 'followed'].map((outcome) =>
    shared.find(({ attributes }) => attributes['ticketing.outcome'] === outcome),
  );
  const load = led?.attributes['ticketing.shared.load'];
  expect(load).toMatch(/^row:[\w-]{22}:\d+$/);
  expect(followed?.attributes['ticketing.shared.load']).toBe(load);
  expect(followed?.links).toEqual([led?.spanId]);
  expect(followed?.traceId).not.toBe(led?.traceId);
  const trace = spans.filter(({ traceId }) => traceId === led?.traceId);
  expect(treeOf(trace)).toEqual({
    'GET /0': [{ 'coalesce row': [{ 'share row': ['select'] }] }],
  });
  expect(JSON.stringify(spans)).not.toContain('madrid');
});
