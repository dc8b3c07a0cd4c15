import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context, trace } from '@opentelemetry/api';
import { createCoalescer } from '@ticketing/batching';
import { type Carrier, createSearch } from '@ticketing/core';
import { createInProcessDispatcher, type Dispatcher } from '@ticketing/dispatch';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
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
import { type InstrumentOptions, instrumentTicketing } from '../src/index.ts';
import { type SeenSpan, startTelemetry, treeOf } from './fixtures/telemetry.ts';
import type { TracedTasks } from './fixtures/traced-tasks.ts';
import { searchQuery } from './search-query.ts';

export const telemetry = startTelemetry();
const module = new URL('fixtures/traced-tasks.ts', import.meta.url);
// Imported now: it has telemetry of its own where there is none.
export const { default: tasks } = await import('./fixtures/traced-tasks.ts');
const execArgv = ['--conditions=@ticketing/source'];
export const query = searchQuery();

let url = '';
/** The `traceparent` of each request to the server. */
const heard: (string | undefined)[] = [];

/** Starts the server that the tasks of a file ask, and forgets after each test what was exported and heard. */
export function useAskedServer(): void {
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

export function instrument(options?: InstrumentOptions): void {
  const instrumentation = instrumentTicketing(options);
  onTestFinished(() => instrumentation.close());
}

/** Runs `work` inside a span, as a server does for a request. */
export async function inRequest<T>(name: string, work: () => Promise<T>): Promise<T> {
  const span = trace.getTracer('server').startSpan(name);
  try {
    return await context.with(trace.setSpan(context.active(), span), work);
  } finally {
    span.end();
  }
}

/** A search whose carriers run by `dispatcher`, behind a coalescer. */
export function coalescedSearch(dispatcher: Dispatcher<TracedTasks>, ids = ['one', 'two']) {
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
export const task = { 'dispatch ask': [{ 'task ask': ['by hand', 'GET'] }] };

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
export function testTrees(kind: keyof typeof kinds): void {
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
export function testDeaths(kind: 'fork' | 'piscina'): void {
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
