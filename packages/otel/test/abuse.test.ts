import { channel } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import {
  TracerProvider as OpenTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace';
import { createCoalescer } from '@ticketing/batching';
import { createSearch } from '@ticketing/core';
import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type InstrumentOptions, instrumentTicketing } from '../src/index.ts';
import { searchQuery } from './search-query.ts';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const uncaught: unknown[] = [];
const note = (error: unknown): void => void uncaught.push(error);
beforeEach(() => {
  uncaught.length = 0;
  process.on('uncaughtException', note);
});
afterEach(async () => {
  await new Promise(setImmediate);
  process.off('uncaughtException', note);
  expect(uncaught).toEqual([]);
});

const NAMES = [
  ...[
    'core:search',
    'core:carrier',
    'core:scatter',
    'core:source',
    'batching:load',
    'batching:batch',
    'batching:stream',
    'batching:shared',
    'dispatch:run',
    'dispatch:task',
  ].flatMap((name) =>
    ['start', 'end', 'error', 'asyncStart', 'asyncEnd'].map(
      (event) => `tracing:ticketing:${name}:${event}`,
    ),
  ),
  ...[
    'join',
    'hit',
    'overflow',
    'stream-join',
    'stream-overflow',
    'shared-lead',
    'shared-join',
    'coordinator',
  ].map((name) => `ticketing:batching:${name}`),
  ...[
    'handed-over',
    'refused',
    'gone',
    'rerouted',
    'worker-ready',
    'worker-stuck',
    'worker-down',
  ].map((name) => `ticketing:socket-router:${name}`),
  ...['worker-report', 'connection-dropped', 'worker-wedged'].map(
    (name) => `ticketing:dispatch-cluster:${name}`,
  ),
  ...['retry', 'fallback', 'worker-ready', 'worker-exit'].map(
    (name) => `ticketing:dispatch:${name}`,
  ),
];

/** Runs everything that is watched, and returns its results. */
async function useLibraries(): Promise<unknown> {
  const tasks = defineTasks({ one: async () => 1 });
  const dispatcher = createInProcessDispatcher(tasks);
  onTestFinished(() => dispatcher.close());
  const carrier = {
    id: 'one',
    name: 'one',
    request: () => dispatcher.run('one', undefined),
    normalise: () => ({ journeys: [] }),
  };
  const search = createSearch({ carriers: [carrier], deadlineMs: 600_000 });
  const documents = createCoalescer(() => search.search(searchQuery()), { name: 'document' });
  const [first, second] = await Promise.all([documents.get('key'), documents.get('key')]);
  return [first === second, first.complete];
}

test.each<[unknown, string]>([
  [7, 'Cannot instrument ticketing: `options` must be an object, got 7'],
  [
    { traceJoin: true },
    'Cannot instrument ticketing: unknown option `traceJoin`; did you mean `traceJoins`?',
  ],
  [
    { tracerProvider: {} },
    'Cannot instrument ticketing: `tracerProvider` must be an object with getTracer, got [object Object]',
  ],
  [
    { meterProvider: 'otlp' },
    'Cannot instrument ticketing: `meterProvider` must be an object with getMeter, got otlp',
  ],
  [{ traceJoins: 1 }, 'Cannot instrument ticketing: `traceJoins` must be true or false, got 1'],
  [
    { capture: 'all' },
    'Cannot instrument ticketing: `capture` must be one of none, query, got all',
  ],
  [
    { asyncLocalStorage: {} },
    'Cannot instrument ticketing: `asyncLocalStorage` must be an AsyncLocalStorage, got [object Object]',
  ],
])('instrumentTicketing(%o) is refused', (options, message) => {
  expect(() => instrumentTicketing(options as InstrumentOptions)).toThrow(new TypeError(message));
  expect(NAMES.filter((name) => channel(name).hasSubscribers)).toEqual([]);
});

test('close() leaves no subscriber and no store, and can be called again', () => {
  const instrumentation = instrumentTicketing();
  expect(NAMES.filter((name) => channel(name).hasSubscribers)).not.toEqual([]);
  instrumentation.close();
  instrumentation.close();
  expect(NAMES.filter((name) => channel(name).hasSubscribers)).toEqual([]);
});

test('without a provider, context manager or propagator nothing breaks', async () => {
  const instrumentation = instrumentTicketing();
  onTestFinished(() => instrumentation.close());
  expect(await useLibraries()).toEqual([true, true]);
});

/** An object of which every method throws, or gives another such object. */
function hostile(depth: number): unknown {
  return new Proxy(
    {},
    {
      get: () => () => {
        if (depth === 0) throw new Error('hostile');
        return hostile(depth - 1);
      },
    },
  );
}

test.each([1, 2])(
  'a tracer and a meter that throw (depth %i) do not reach the libraries',
  async (depth) => {
    const tracerProvider = hostile(depth) as TracerProvider;
    const meterProvider = hostile(2) as MeterProvider;
    const instrumentation = instrumentTicketing({ tracerProvider, meterProvider });
    onTestFinished(() => instrumentation.close());
    expect(await useLibraries()).toEqual([true, true]);
  },
);

test('an exporter that throws does not reach the libraries', async () => {
  const broken = (): never => {
    throw new Error('no room');
  };
  const exporter = { export: broken, shutdown: async () => {} };
  const tracerProvider = new OpenTracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const instrumentation = instrumentTicketing({ tracerProvider });
  onTestFinished(() => instrumentation.close());
  expect(await useLibraries()).toEqual([true, true]);
});

test('messages of another shape throw nothing: what runs inside them runs, and the libraries are traced as before', async () => {
  const names: string[] = [];
  const exporter = {
    export: (spans: readonly { readonly name: string }[], done: (result: { code: 0 }) => void) => {
      names.push(...spans.map(({ name }) => name));
      done({ code: 0 });
    },
    shutdown: async () => {},
  };
  const tracerProvider = new OpenTracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const instrumentation = instrumentTicketing({ tracerProvider });
  onTestFinished(() => instrumentation.close());
  const namesOfLibraries = async (): Promise<string[]> => {
    names.length = 0;
    expect(await useLibraries()).toEqual([true, true]);
    await tracerProvider.forceFlush();
    return names.toSorted();
  };
  const before = await namesOfLibraries();
  expect(before).toEqual([
    'carrier one',
    'coalesce document',
    'coalesce document',
    'dispatch one',
    'search',
    'task one',
  ]);
  const messages = [undefined, null, 7, 'text', {}, { name: {} }];
  const ran: string[] = [];
  for (const message of messages) {
    for (const name of NAMES) {
      channel(name).publish(message);
      channel(name).runStores(message as object, () => ran.push(name));
    }
  }
  expect(ran).toEqual(messages.flatMap(() => NAMES));
  expect(await namesOfLibraries()).toEqual(before);
});

test('the package has the API as its only peer, and imports none of the libraries', () => {
  const manifest = JSON.parse(read('package.json'));
  expect(manifest.peerDependencies).toEqual({ '@opentelemetry/api': '>=1.9 <2' });
  for (const kind of ['dependencies', 'optionalDependencies']) {
    expect(manifest).not.toHaveProperty(kind);
  }
  const foreign: string[] = [];
  const files = readdirSync(new URL('src/', root), { recursive: true }) as string[];
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    for (const [, name = ''] of read(`src/${file}`).matchAll(/(?:from|import\()\s*'([^']+)'/g)) {
      const own = /^\.{1,2}\/.+\.ts$/.test(name);
      const isBundled = name === '@ticketing/kit';
      // Who only wants Prometheus need not install it.
      const isPeer = name === '@opentelemetry/api' && !/^(?:prometheus|figures)/.test(file);
      const isPlatform = name.startsWith('node:') && isBuiltin(name);
      if (!own && !isBundled && !isPeer && !isPlatform) foreign.push(`${file}: ${name}`);
    }
  }
  expect(foreign).toEqual([]);
});
