import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Context, context, trace } from '@opentelemetry/api';
import { createCoalescer } from '@ticketing/batching';
import { createMemoryCoordinator, createMemoryStore, shareLoads } from '@ticketing/batching/shared';
import { createStreamCoalescer } from '@ticketing/batching/streams';
import { type Carrier, createScatter, createSearch } from '@ticketing/core';
import { createInProcessDispatcher, type Dispatcher } from '@ticketing/dispatch';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import { createGuard } from '@ticketing/resilience';
import { isFullScale } from '@ticketing/test-kit';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from 'vitest';
import { type InstrumentOptions, instrumentTicketing } from '../../src/index.ts';
import { type SeenSpan, startTelemetry, treeOf } from '../fixtures/telemetry.ts';
import type { TracedTasks } from '../fixtures/traced-tasks.ts';
import { searchQuery } from '../search-query.ts';

const telemetry = startTelemetry();
const module = new URL('../fixtures/traced-tasks.ts', import.meta.url);
// Imported now: it has telemetry of its own where there is none.
const { default: tasks } = await import('../fixtures/traced-tasks.ts');
const execArgv = ['--conditions=@ticketing/source'];
const query = searchQuery();

let url = '';
/** The `traceparent` of each request to the server. */
const heard: (string | undefined)[] = [];

/** Starts the server that the tasks of a file ask, and forgets after each test what was exported and heard. */
function useAskedServer(): void {
  beforeAll(async () => {
    const server = createServer((request, response) => {
      heard.push(request.headers['traceparent'] as string | undefined);
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return () => {
      server.closeAllConnections();
      server.close();
    };
  });

  afterEach(() => {
    telemetry.take();
    heard.length = 0;
  });
}

function instrument(options?: InstrumentOptions): void {
  const instrumentation = instrumentTicketing(options);
  onTestFinished(() => instrumentation.close());
}

/** Runs `work` inside a span, as a server does for a request. */
async function inRequest<T>(name: string, work: () => Promise<T>): Promise<T> {
  const span = trace.getTracer('server').startSpan(name);
  try {
    return await context.with(trace.setSpan(context.active(), span), work);
  } finally {
    span.end();
  }
}

/** A search whose carriers run by `dispatcher`, behind a coalescer. */
function coalescedSearch(dispatcher: Dispatcher<TracedTasks>, ids = ['one', 'two']) {
  const carriers = ids.map(
    (id): Carrier => ({
      id,
      name: id,
      request: async () => undefined,
      normalise: () => ({ journeys: [] }),
    }),
  );
  const search = createSearch({
    carriers,
    deadlineMs: 600_000,
    run: async () => {
      await dispatcher.run('ask', url);
      return { journeys: [] };
    },
  });
  return createCoalescer(() => search.search(query), { name: 'document' });
}

/** What a call of the task is in a tree. */
const task = { 'dispatch ask': [{ 'task ask': ['by hand', 'GET'] }] };

/** Ways to dispatch, and the task that ends a worker. */
const kinds = {
  'in-process': {
    create: () => createInProcessDispatcher<TracedTasks>(tasks),
    die: undefined,
  },
  fork: {
    create: () => createForkDispatcher<TracedTasks>(module, { max: 1, execArgv }),
    die: 'dieOnce',
  },
  piscina: {
    create: () => createPiscinaDispatcher<TracedTasks>(module, { max: 1, execArgv }),
    die: 'exitOnce',
  },
} as const;

/** Starts a dispatcher for the tests of a group. */
function useDispatcher(create: () => Dispatcher<TracedTasks>) {
  let dispatcher: Dispatcher<TracedTasks>;
  beforeAll(() => {
    dispatcher = create();
  });
  // What a test has not looked at is in the worker still.
  beforeEach(() => dispatcher.run('spans', undefined));
  afterAll(() => dispatcher.close());

  /** Everything that was exported, here and in the worker. */
  const allSpans = async (): Promise<SeenSpan[]> => {
    const here = telemetry.take();
    return [...here, ...(await dispatcher.run('spans', undefined))].filter(
      ({ name }) => !name.endsWith(' spans'),
    );
  };
  return { dispatcher: () => dispatcher, allSpans };
}

/** Proves what the spans of calls are, by a kind of dispatcher. */
function testTrees(kind: keyof typeof kinds): void {
  describe(kind, () => {
    const { dispatcher, allSpans } = useDispatcher(kinds[kind].create);

    test('one request is one tree, from the server to the worker’s own requests', async () => {
      instrument();
      const documents = coalescedSearch(dispatcher());
      await inRequest('GET /search', () => documents.get('madrid barcelona'));
      const spans = await allSpans();
      expect(treeOf(spans)).toEqual({
        'GET /search': [
          {
            'coalesce document': [
              { search: [{ 'carrier one': [task] }, { 'carrier two': [task] }] },
            ],
          },
        ],
      });
      const kindsOf = (name: string) => spans.filter((s) => s.name === name).map((s) => s.kind);
      expect(kindsOf('dispatch ask')).toEqual([3, 3]);
      expect(kindsOf('task ask')).toEqual([4, 4]);
      const clients = spans.filter(({ name }) => name === 'GET');
      const sent = clients.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
      expect([...heard].sort()).toEqual(sent.sort());
      expect(spans.find(({ name }) => name === 'dispatch ask')?.attributes).toEqual({
        'ticketing.dispatch.pool': expect.any(String),
        'ticketing.dispatch.task': 'ask',
        'ticketing.dispatch.attempts': 1,
        'ticketing.dispatch.worker': expect.any(Number),
        'ticketing.dispatch.wait_ms': expect.any(Number),
        'ticketing.dispatch.run_ms': expect.any(Number),
      });
    });

    test('a task that fails marks its span and its call’s with the code, not with its message', async () => {
      instrument();
      await inRequest('GET /', async () => {
        await expect(dispatcher().run('fail', undefined)).rejects.toThrow('Madrid');
      });
      const spans = await allSpans();
      expect(treeOf(spans)).toEqual({ 'GET /': [{ 'dispatch fail': ['task fail'] }] });
      for (const name of ['dispatch fail', 'task fail']) {
        const span = spans.find((each) => each.name === name);
        expect(span).toMatchObject({ status: 2, attributes: { 'error.type': 'ERR_BROKEN' } });
      }
      expect(JSON.stringify(spans)).not.toContain('Madrid');
    });

    test('a context that is no context does not disturb the task', async () => {
      instrument();
      for (const traceparent of [
        '',
        'x',
        '00-0-0-00',
        `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`,
      ]) {
        const call = dispatcher().run('ask', url, { metadata: { traceparent } });
        await expect(call).resolves.toBe(200);
      }
    });
  });
}

/** Proves what the spans of calls are whose worker dies. */
function testDeaths(kind: 'fork' | 'piscina'): void {
  describe(kind, () => {
    const { create, die } = kinds[kind];
    const { dispatcher, allSpans } = useDispatcher(create);

    test('an attempt whose worker dies is a span too', async () => {
      instrument();
      await inRequest('GET /', async () => {
        await dispatcher().run(die, undefined, { idempotent: true, retries: 1 });
      });
      const spans = await allSpans();
      expect(treeOf(spans)).toEqual({
        'GET /': [{ [`dispatch ${die}`]: [`task ${die}`, `task ${die}`] }],
      });
      const attempts = spans.filter(({ name }) => name === `task ${die}`);
      const { status, attributes } =
        attempts.find((s) => s.attributes['ticketing.dispatch.attempt'] === 1) ?? {};
      expect(status).toBe(2);
      expect(attributes).toMatchObject({ 'error.type': 'ERR_WORKER_LOST' });
      expect(attempts.map((s) => s.attributes['ticketing.dispatch.attempt']).sort()).toEqual([
        1, 2,
      ]);
      const call = spans.find(({ name }) => name === `dispatch ${die}`);
      expect(call).toMatchObject({ status: 0, attributes: { 'ticketing.dispatch.attempts': 2 } });
    });

    test('a call that is lost with its worker has both spans', async () => {
      instrument();
      const lost = inRequest('GET /', () => dispatcher().run(die, undefined));
      await expect(lost).rejects.toMatchObject({ code: 'ERR_WORKER_LOST' });
      const spans = await allSpans();
      expect(treeOf(spans)).toEqual({ 'GET /': [{ [`dispatch ${die}`]: [`task ${die}`] }] });
      expect(spans.filter(({ status }) => status === 2)).toHaveLength(2);
    });
  });
}

useAskedServer();
testTrees('in-process');
testTrees('fork');
if (isFullScale()) {
  testTrees('piscina');
  testDeaths('fork');
  testDeaths('piscina');
}

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

  test('a failure marks the spans of all callers that waited for it', async () => {
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

test('what a guard does is in the span of its caller: retries, hedges, circuits and pauses', async () => {
  instrument();
  const guard = createGuard({
    name: 'renfe',
    circuit: { windowCalls: 2, minCalls: 2, failureShare: 1, openMs: 60_000 },
    retry: { maxAttempts: 2, baseMs: 0 },
    hedge: { minMs: 0, minSamples: 1 },
  });
  const paused = createGuard({ name: 'ouigo' });
  onTestFinished(async () => {
    await guard.close();
    await paused.close();
  });
  const failing = () => Promise.reject(Object.assign(new Error('no'), { code: 'ERR_BROKEN' }));
  const throttled = Object.assign(new Error('no'), { status: 429, retryAfterMs: 60_000 });
  await inRequest('retried', () => guard.run(({ kind }) => (kind === 'first' ? failing() : 1)));
  // Both at once: what happens to one is not in the span of the other.
  await Promise.all([
    inRequest('hedged', () =>
      guard.run(({ kind, signal }) => {
        if (kind === 'hedge') return 1;
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      }),
    ),
    inRequest('well', () => guard.run(() => 1)),
  ]);
  await inRequest('broken', () => guard.run(failing).catch(() => {}));
  await inRequest('paused', () => paused.run(() => Promise.reject(throttled)).catch(() => {}));
  const events = Object.fromEntries(telemetry.take().map((span) => [span.name, span.events]));
  const ofGuard = { 'ticketing.guard.name': 'renfe' };
  const retry = {
    ...ofGuard,
    'ticketing.guard.attempt': 2,
    'ticketing.guard.delay_ms': expect.any(Number),
    'error.type': 'ERR_BROKEN',
  };
  const hedge = {
    ...ofGuard,
    'ticketing.guard.attempt': 2,
    'ticketing.guard.after_ms': expect.any(Number),
  };
  const opened = {
    ...ofGuard,
    'ticketing.guard.circuit.state': 'open',
    'ticketing.guard.open_ms': expect.any(Number),
  };
  const pause = { 'ticketing.guard.name': 'ouigo', 'ticketing.guard.pause_ms': 60_000 };
  expect(events).toEqual({
    retried: [['ticketing.guard.retry', retry]],
    hedged: [['ticketing.guard.hedge', hedge]],
    well: [],
    broken: [
      ['ticketing.guard.retry', retry],
      ['ticketing.guard.circuit', opened],
    ],
    paused: [['ticketing.guard.pause', pause]],
  });
});
