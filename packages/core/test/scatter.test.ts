import diagnostics, { type ChannelListener, channel } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import {
  CarrierError,
  createScatter,
  type SourceContext,
  type SourceState,
  type SourceStatus,
} from '@ticketing/core';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import { expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import { NOW } from './trains.ts';

interface Stay {
  readonly city: string;
  readonly nights: number;
}
interface Room {
  readonly hotel: string;
  readonly cents: number;
}

const never = (): Promise<never> => new Promise(() => {});
const booking = async ({ city, nights }: Stay): Promise<readonly Room[]> => [
  { hotel: `${city} Palace`, cents: 9000 * nights },
];

useFakeClock(NOW);

test('ask() gathers the answer of each source by its id, with a type of its own', async () => {
  const hotels = createScatter({
    sources: {
      booking,
      direct: (stay: Stay) => stay.nights * 8000,
      closed: (): string => {
        throw new Error('no rooms');
      },
    },
  });
  const result = await hotels.ask({ city: 'Madrid', nights: 2 });
  expect(result).toEqual({
    query: { city: 'Madrid', nights: 2 },
    answers: { booking: [{ hotel: 'Madrid Palace', cents: 18_000 }], direct: 16_000 },
    sources: [
      { source: 'booking', state: 'ok', ms: 0 },
      { source: 'direct', state: 'ok', ms: 0 },
      {
        source: 'closed',
        state: 'error',
        ms: 0,
        error: { code: 'INTERNAL', name: 'Error', message: 'no rooms' },
      },
    ],
    complete: false,
    ms: 0,
  });
  expectTypeOf(result.query).toEqualTypeOf<Stay>();
  expectTypeOf(result.answers.booking).toEqualTypeOf<readonly Room[] | undefined>();
  expectTypeOf(result.answers.direct).toEqualTypeOf<number | undefined>();
  expectTypeOf(result.sources).toEqualTypeOf<
    readonly SourceStatus<'booking' | 'direct' | 'closed'>[]
  >();
  expectTypeOf(hotels.ask)
    .parameter(1)
    .extract<object>()
    .toHaveProperty('sources')
    .toEqualTypeOf<readonly ('booking' | 'direct' | 'closed')[] | undefined>();
  // @ts-expect-error because it is a query of another kind
  await hotels.ask('Madrid');
});

test('createScatter() takes a list of sources of one kind', async () => {
  const list = ['a', 'b'].map((id) => ({ id, run: async (sku: string) => `${id}: ${sku}` }));
  const result = await createScatter({ sources: list }).ask('tea');
  expect(result.answers).toEqual({ a: 'a: tea', b: 'b: tea' });
  expectTypeOf(result.answers).toEqualTypeOf<{ readonly [id: string]: string | undefined }>();
  const named = createScatter({
    sources: [
      { id: 'x', run: (sku: string) => sku.length },
      { id: 'y', run: async (sku: string) => sku.length + 1 },
    ],
  });
  const { answers } = await named.ask('tea', { sources: ['y'] });
  expect(answers).toEqual({ y: 4 });
  expectTypeOf(answers.x).toEqualTypeOf<number | undefined>();
  expectTypeOf(named.stream).returns.not.toBeAny();
});

test('a source of a list keeps its `this`, and is read once', async () => {
  const source = {
    id: 'shop',
    price: 5,
    run(sku: string) {
      return `${sku} ${this.price}`;
    },
  };
  const sources = [source];
  const prices = createScatter({ sources });
  sources.length = 0;
  expect((await prices.ask('tea')).answers).toEqual({ shop: 'tea 5' });
});

test('ask() needs no query when no source takes one', async () => {
  const health = createScatter({
    sources: { database: () => 'up', cache: async () => undefined },
  });
  const { answers, complete, sources } = await health.ask();
  expect(complete).toBe(true);
  expect(Object.keys(answers)).toEqual(['database', 'cache']);
  expect(sources.map(({ state }) => state)).toEqual(['ok', 'ok']);
  expectTypeOf(answers.database).toEqualTypeOf<string | undefined>();
});

test('ask() resolves at the deadline, aborts late sources, and ignores their answers', async () => {
  const contexts: SourceContext[] = [];
  let answerLate!: (rooms: number) => void;
  const slow = (_stay: string, context: SourceContext) => {
    contexts.push(context);
    return new Promise<number>((resolve) => {
      answerLate = resolve;
    });
  };
  const hotels = createScatter({ deadlineMs: 300, sources: { quick: () => 1, slow } });
  const ended = vi.fn();
  const pending = hotels.ask('Madrid');
  void pending.then(ended);
  await vi.advanceTimersByTimeAsync(299);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  const result = await pending;
  expect(result).toEqual({
    query: 'Madrid',
    answers: { quick: 1 },
    sources: [
      { source: 'quick', state: 'ok', ms: 0 },
      {
        source: 'slow',
        state: 'timeout',
        ms: 300,
        error: {
          code: 'TIMEOUT',
          name: 'TimeoutError',
          message: 'No answer within `deadlineMs` (300 ms)',
        },
      },
    ],
    complete: false,
    ms: 300,
  });
  expect(contexts).toMatchObject([{ deadline: NOW + 300, signal: { aborted: true } }]);
  expect(contexts[0]?.signal.reason).toMatchObject({ name: 'TimeoutError' });
  const before = structuredClone(result);
  expect(hotels.stats()).toMatchObject({ partial: 1, inFlight: { quick: 0, slow: 1 } });
  answerLate(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(result).toEqual(before);
  expect(hotels.stats()).toMatchObject({
    inFlight: { slow: 0 },
    sources: { slow: { ok: 0, timeout: 1 } },
  });
});

test('ask() prefers the deadline of a call, and asks only the sources that it names', async () => {
  const hotels = createScatter({ deadlineMs: 5000, sources: { a: never, b: () => 1, c: () => 2 } });
  const pending = hotels.ask(undefined, { deadlineMs: 10, sources: ['c', 'a', 'c'] });
  await vi.advanceTimersByTimeAsync(10);
  const { answers, sources } = await pending;
  expect(answers).toEqual({ c: 2 });
  expect(sources.map(({ source, state }) => [source, state])).toEqual([
    ['a', 'timeout'],
    ['c', 'ok'],
  ]);
});

class Refusal extends Error {
  override name = 'Refusal';
  readonly code = 'SOLD_OUT';
  readonly data = { hotel: 'Ritz' };
}
const unreadable = new Proxy(new Error('hidden'), {
  get: () => {
    throw new Error('trap');
  },
  has: () => {
    throw new Error('trap');
  },
});

test.each<[what: string, thrown: unknown, state: SourceState, error: object]>([
  [
    'an error of its own code',
    new Refusal('full'),
    'error',
    { code: 'SOLD_OUT', name: 'Refusal', message: 'full', data: { hotel: 'Ritz' } },
  ],
  [
    'a carrier that has nothing',
    new CarrierError('NOT_SERVED', 'no hotels there'),
    'empty',
    { code: 'NOT_SERVED', name: 'CarrierError', message: 'no hotels there' },
  ],
  [
    'plain data with a code',
    { code: 'NO_RESULTS', message: 'none' },
    'empty',
    { code: 'NO_RESULTS', name: 'Error', message: 'none' },
  ],
  [
    'a full queue of a dispatcher',
    { name: 'DispatchError', code: 'ERR_QUEUE_FULL', message: 'Queue is full' },
    'rejected-busy',
    { code: 'ERR_QUEUE_FULL', name: 'DispatchError', message: 'Queue is full' },
  ],
  [
    'a timeout of its own',
    new DOMException('slow', 'TimeoutError'),
    'timeout',
    { code: 'TIMEOUT', name: 'TimeoutError', message: 'slow' },
  ],
  [
    'an abort of its own',
    new DOMException('gave up', 'AbortError'),
    'error',
    { code: 'ABORTED', name: 'AbortError', message: 'gave up' },
  ],
  [
    'data that cannot be copied',
    Object.assign(new TypeError('odd'), { code: 7, data: () => 1 }),
    'error',
    { code: 'INTERNAL', name: 'TypeError', message: 'odd' },
  ],
  ['text', 'no', 'error', { code: 'INTERNAL', name: 'Error', message: 'no' }],
  ['nothing', undefined, 'error', { code: 'INTERNAL', name: 'Error', message: 'undefined' }],
  [
    'an object that cannot be read',
    unreadable,
    'error',
    { code: 'INTERNAL', name: 'Error', message: 'an object without a message' },
  ],
])('ask() reports %s, thrown at once or later', async (_what, thrown, state, error) => {
  const scatter = createScatter({
    sources: {
      atOnce: () => {
        throw thrown;
      },
      later: () => Promise.reject(thrown),
    },
  });
  const result = await scatter.ask();
  expect(result.sources).toEqual([
    { source: 'atOnce', state, ms: 0, error },
    { source: 'later', state, ms: 0, error },
  ]);
  expect(result.complete).toBe(state === 'empty');
  expect(structuredClone(result)).toEqual(result);
  expect(JSON.parse(JSON.stringify(result.sources))).toEqual(result.sources);
});

test('maxInFlight refuses a further run of a source, also while a late one has not settled', async () => {
  let release!: () => void;
  const stuck = () => new Promise<void>((resolve) => (release = resolve));
  const scatter = createScatter({
    deadlineMs: 100,
    maxInFlight: 1,
    sources: { stuck, free: () => 1 },
  });
  const first = scatter.ask();
  const second = await scatter.ask(undefined, { sources: ['stuck'] });
  const busy = {
    source: 'stuck',
    state: 'rejected-busy',
    ms: 0,
    error: {
      code: 'OVERLOADED',
      name: 'Error',
      message: 'Source `stuck` is busy: `maxInFlight` (1) runs are under way',
    },
  };
  expect(second.sources).toEqual([busy]);
  await vi.advanceTimersByTimeAsync(100);
  await first;
  expect((await scatter.ask()).sources).toMatchObject([busy, { source: 'free', state: 'ok' }]);
  release();
  await vi.advanceTimersByTimeAsync(0);
  expect(scatter.stats().inFlight).toEqual({ stuck: 0, free: 0 });
  const third = scatter.ask();
  await vi.advanceTimersByTimeAsync(0);
  release();
  expect((await third).complete).toBe(true);
});

test('ask() rejects with the reason of its signal, at once, and aborts the sources', async () => {
  const signals: AbortSignal[] = [];
  const held = (_query: unknown, { signal }: SourceContext) => {
    signals.push(signal);
    return never();
  };
  const scatter = createScatter({ sources: { held } });
  const caller = new AbortController();
  const pending = scatter.ask(1, { signal: caller.signal });
  expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1);
  caller.abort('left');
  await expect(pending).rejects.toBe('left');
  expect(signals).toMatchObject([{ aborted: true, reason: 'left' }]);
  expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
  await expect(scatter.ask(1, { signal: caller.signal })).rejects.toBe('left');
  expect(signals).toHaveLength(1);
  expect(scatter.stats()).toMatchObject({ running: 0, aborted: 1 });
});

test('stream() yields each status and answer as it comes, then done', async () => {
  let answerSlow!: (word: string) => void;
  const scatter = createScatter({
    deadlineMs: 50,
    sources: {
      slow: (_word: string) => new Promise<string>((resolve) => (answerSlow = resolve)),
      quick: (word: string) => word.length,
      hung: never,
    },
  });
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const event of scatter.stream('tea')) {
      seen.push(event);
      if (event.type === 'source-answer' && event.source === 'quick') {
        expectTypeOf(event.answer).toEqualTypeOf<number>();
      }
    }
  })();
  await vi.advanceTimersByTimeAsync(20);
  answerSlow('TEA');
  await vi.advanceTimersByTimeAsync(30);
  await reading;
  const running = { state: 'running', ms: 0 };
  const slow = { source: 'slow', state: 'ok', ms: 20 };
  const quick = { source: 'quick', state: 'ok', ms: 0 };
  const hung = { source: 'hung', state: 'timeout', ms: 50, error: expect.anything() };
  expect(seen).toEqual([
    {
      type: 'scatter-started',
      query: 'tea',
      deadline: NOW + 50,
      sources: ['slow', 'quick', 'hung'].map((source) => ({ source, ...running })),
    },
    { type: 'source-status', status: quick },
    { type: 'source-answer', source: 'quick', answer: 3 },
    { type: 'source-status', status: slow },
    { type: 'source-answer', source: 'slow', answer: 'TEA' },
    { type: 'source-status', status: hung },
    { type: 'scatter-done', sources: [slow, quick, hung], complete: false, ms: 50 },
  ]);
});

test('stream() aborts the rest when its consumer leaves, also while next() is pending', async () => {
  const signals: AbortSignal[] = [];
  const held = (_query: unknown, { signal }: SourceContext) => {
    signals.push(signal);
    return never();
  };
  const scatter = createScatter({ sources: { held } });
  for await (const event of scatter.stream()) {
    expect(event.type).toBe('scatter-started');
    break;
  }
  const events = scatter.stream();
  await events.next();
  const pending = events.next();
  await events.return?.();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(signals.map(({ reason }) => reason)).toMatchObject([
    { name: 'AbortError', message: 'The caller left' },
    { name: 'AbortError' },
  ]);
  expect(scatter.stats()).toMatchObject({ running: 0, aborted: 2 });
});

test('close() waits for the calls in flight, and refuses new ones', async () => {
  let answer!: (value: number) => void;
  const held = () => new Promise<number>((resolve) => (answer = resolve));
  const scatter = createScatter({ sources: { held } });
  const pending = scatter.ask();
  const closing = Promise.all([scatter.close(), scatter[Symbol.asyncDispose]()]);
  const refused = { code: 'ERR_CLOSED', message: 'Cannot ask: the scatter is closed' };
  await expect(scatter.ask()).rejects.toMatchObject(refused);
  expect(() => scatter.stream()).toThrow(expect.objectContaining(refused));
  expect(scatter.stats()).toMatchObject({ state: 'closed', running: 1 });
  answer(1);
  await closing;
  expect((await pending).answers).toEqual({ held: 1 });
  expect(scatter.stats()).toMatchObject({ state: 'closed', running: 0, complete: 1 });
});

test('stats() counts calls, and the ends and durations of each source', async () => {
  const scatter = createScatter({ deadlineMs: 60, sources: { a: () => 1, b: never } });
  const pending = scatter.ask();
  await vi.advanceTimersByTimeAsync(60);
  await pending;
  const none = {
    ok: 0,
    empty: 0,
    timeout: 0,
    error: 0,
    cancelled: 0,
    'rejected-busy': 0,
    'rate-limited': 0,
    'circuit-open': 0,
  };
  const { latency, ...rest } = scatter.stats();
  expect(rest).toEqual({
    state: 'open',
    running: 0,
    complete: 0,
    partial: 1,
    aborted: 0,
    sources: { a: { ...none, ok: 1 }, b: { ...none, timeout: 1 } },
    inFlight: { a: 0, b: 1 },
  });
  expect(latency).toMatchObject({ a: { ok: { sumMs: 0 } }, b: { timeout: { sumMs: 60 } } });
});

function listen(...names: readonly string[]): [name: string, message: Record<string, unknown>][] {
  const seen: [string, Record<string, unknown>][] = [];
  for (const name of names) {
    const listener: ChannelListener = (message) => {
      seen.push([name, message as Record<string, unknown>]);
    };
    diagnostics.subscribe(name, listener);
    onTestFinished(() => void diagnostics.unsubscribe(name, listener));
  }
  return seen;
}

test('each settled source and the end are published, with what was thrown', async () => {
  const seen = listen('ticketing:core:source-settled', 'ticketing:core:scatter-done');
  const carriers = listen('ticketing:core:carrier-settled', 'ticketing:core:search-done');
  const broken = new Error('broken');
  const scatter = createScatter({
    name: 'prices',
    sources: { a: () => 1, b: () => Promise.reject(broken) },
  });
  const { sources, complete, ms, query } = await scatter.ask('tea');
  expect(seen).toEqual([
    [
      'ticketing:core:source-settled',
      { scatter: 'prices', query: 'tea', status: sources[0], cause: undefined },
    ],
    [
      'ticketing:core:source-settled',
      { scatter: 'prices', query: 'tea', status: sources[1], cause: broken },
    ],
    [
      'ticketing:core:scatter-done',
      { scatter: 'prices', query, sources, complete, ms, aborted: false },
    ],
  ]);
  expect(carriers).toEqual([]);
});

test('a call and each of its sources are traced, with one message each', async () => {
  const events = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];
  const prefix = 'tracing:ticketing:core:';
  const seen = listen(
    ...['scatter', 'source'].flatMap((of) => events.map((event) => `${prefix}${of}:${event}`)),
  );
  const scatter = createScatter({ name: 'prices', sources: { a: () => 1 }, deadlineMs: 700 });
  const { sources } = await scatter.ask('tea');
  expect(seen.map(([name]) => name.slice(prefix.length))).toEqual([
    'scatter:start',
    'source:start',
    'source:end',
    'scatter:end',
    'source:asyncStart',
    'source:asyncEnd',
    'scatter:asyncStart',
    'scatter:asyncEnd',
  ]);
  const callId = expect.stringMatching(/^[\da-f-]{36}$/);
  const call = { scatter: 'prices', callId, query: 'tea', deadlineMs: 700 };
  expect(seen[5]?.[1]).toEqual({ ...call, source: 'a', status: sources[0] });
  expect(seen[7]?.[1]).toEqual({
    ...call,
    ended: { scatter: 'prices', query: 'tea', sources, complete: true, ms: 0, aborted: false },
  });
  expect(seen[7]?.[1]).toBe(seen[0]?.[1]);
  expect(channel(`${prefix}source:start`).hasSubscribers).toBe(true);
});
