import { AsyncLocalStorage } from 'node:async_hooks';
import { type ChannelListener, channel, tracingChannel } from 'node:diagnostics_channel';
import { createManualClock } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { createBatcher, createCoalescer } from '../src/index.ts';
import { createStreamCoalescer } from '../src/streams/index.ts';
import { holdLoads, settleJobs } from './held-loads.ts';
import { holdStreams, itemsOf } from './held-streams.ts';

const name = 'traced';
const UUID = expect.stringMatching(/^[\da-f-]{36}$/);

interface Seen {
  readonly event: string;
  readonly message: Record<string, unknown>;
}

/** Notes what channels publish until the test ends: a copy of each message, without functions. */
function listen(...names: string[]): Seen[] {
  const seen: Seen[] = [];
  for (const each of names) {
    const listener: ChannelListener = (message) => {
      const { inCaller: _, ...fields } = message as Seen['message'];
      seen.push({ event: each.slice(each.indexOf('batching:') + 9), message: fields });
    };
    channel(each).subscribe(listener);
    onTestFinished(() => void channel(each).unsubscribe(listener));
  }
  return seen;
}

const traced = (what: string): string[] =>
  ['start', 'end', 'error', 'asyncStart', 'asyncEnd'].map(
    (event) => `tracing:ticketing:batching:${what}:${event}`,
  );

/** Binds a store to the starts of a tracing channel until the test ends: its value, and what the first caller has. */
function bind(what: string, store: AsyncLocalStorage<string>): void {
  const { start } = tracingChannel(`ticketing:batching:${what}`);
  start.bindStore(store, (message) => {
    const { inCaller } = message as { inCaller: <R>(run: () => R) => R };
    return `${what} by ${inCaller(() => store.getStore())}`;
  });
  onTestFinished(() => void start.unbindStore(store));
}

test('a load is traced from its start to its end, with each call that joins it', async () => {
  const seen = listen(...traced('load'), 'ticketing:batching:join');
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name });
  const callers = [coalescer.get('a'), coalescer.get('a'), coalescer.get('a', { timeoutMs: 9999 })];
  calls[0]?.resolve('A');
  await Promise.all(callers);
  expect(seen.map(({ event }) => event)).toEqual([
    'load:start',
    'load:end',
    'join',
    'join',
    'load:asyncStart',
    'load:asyncEnd',
  ]);
  const message = { name, key: 'a', loadId: UUID, cause: 'call' };
  expect(seen[0]?.message).toEqual({ ...message, waiters: 1 });
  const { loadId } = seen[0]?.message ?? {};
  expect(seen[2]?.message).toEqual({ name, key: 'a', loadId, waiters: 2 });
  expect(seen[3]?.message).toEqual({ name, key: 'a', loadId, waiters: 3 });
  expect(seen[5]?.message).toEqual({ ...message, loadId, waiters: 3 });
});

test('a load that fails publishes its error, also one that throws at once', async () => {
  const seen = listen(...traced('load'));
  const error = new Error('down');
  const coalescer = createCoalescer(
    (): string => {
      throw error;
    },
    { name },
  );
  await expect(coalescer.get('a')).rejects.toBe(error);
  expect(seen.map(({ event }) => event)).toEqual([
    'load:start',
    'load:end',
    'load:error',
    'load:asyncStart',
    'load:asyncEnd',
  ]);
  expect(seen.at(-1)?.message).toMatchObject({ key: 'a', error });
});

test('the loader runs inside the bound stores, and in no other of its caller', async () => {
  const [store, other] = [new AsyncLocalStorage<string>(), new AsyncLocalStorage<string>()];
  bind('load', store);
  const stores: unknown[] = [];
  const load = async (key: string): Promise<string> => {
    await Promise.resolve();
    stores.push([store.getStore(), other.getStore()]);
    return key;
  };
  const detached = createCoalescer(load, { name });
  const callers = createCoalescer(load, { name, context: 'caller' });
  await store.run('one', () =>
    other.run('private', () => Promise.all([detached.get('a'), callers.get('a')])),
  );
  expect(stores).toEqual([
    ['load by one', undefined],
    ['load by one', 'private'],
  ]);
});

test('kept results, renewals and calls above a bound are told apart', async () => {
  const seen = listen(
    'tracing:ticketing:batching:load:start',
    'ticketing:batching:hit',
    'ticketing:batching:overflow',
  );
  const clock = createManualClock();
  const options = { name, clock, ttlMs: 10, staleMs: 10, maxKeys: 1, overflow: 'bypass' } as const;
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, options);
  const [first, bypassing] = [coalescer.get('a'), coalescer.get('b')];
  for (const call of calls) call.resolve('value');
  await Promise.all([first, bypassing]);
  await coalescer.get('a');
  clock.advance(15);
  await coalescer.get('a');
  expect(seen.map(({ event, message }) => [event, message['key'], message['cause']])).toEqual([
    ['load:start', 'a', 'call'],
    ['overflow', 'b', undefined],
    ['load:start', 'b', 'overflow'],
    ['hit', 'a', undefined],
    ['hit', 'a', undefined],
    ['load:start', 'a', 'renewal'],
  ]);
  expect(seen[1]?.message).toEqual({ name, key: 'b', code: 'ERR_TOO_MANY_KEYS' });
  expect(seen[3]?.message).toEqual({ name, key: 'a', kind: 'value' });
  const { asked, led, joined, hits, overflowed, loaded } = coalescer.stats();
  expect({ asked, led, joined, hits, overflowed, loaded }).toEqual({
    asked: 4,
    led: 1,
    joined: 0,
    hits: 2,
    overflowed: 1,
    loaded: 3,
  });
  calls[2]?.resolve('value');
});

test('a batch is traced, and runs inside the stores bound for its first caller', async () => {
  const seen = listen(...traced('batch'));
  const store = new AsyncLocalStorage<string>();
  bind('batch', store);
  const batcher = createBatcher(
    async (keys: readonly number[]) => {
      const inside = store.getStore();
      return keys.map((key) => (key === 2 ? new Error('none') : `${inside}, ${key}`));
    },
    { name },
  );
  const one = store.run('one', () => batcher.load(1));
  const two = store.run('two', () => batcher.load(2));
  await expect(two).rejects.toThrow('none');
  expect(await one).toBe('batch by one, 1');
  expect(seen.map(({ event }) => event)).toEqual([
    'batch:start',
    'batch:end',
    'batch:asyncStart',
    'batch:asyncEnd',
  ]);
  expect(seen.at(-1)?.message).toEqual({ name, keys: 2, batchId: UUID, failed: 1 });
});

test('a batch that fails publishes its error', async () => {
  const seen = listen(...traced('batch'));
  const error = new Error('down');
  const batcher = createBatcher(() => Promise.reject(error), { name });
  await expect(batcher.load(1)).rejects.toBe(error);
  expect(seen.at(-1)?.message).toMatchObject({ keys: 1, failed: 1, error });
});

test('a load without a subscriber when it started publishes neither joins nor an end', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name });
  const first = coalescer.get('a');
  const seen = listen(...traced('load'), 'ticketing:batching:join');
  const second = coalescer.get('a');
  calls[0]?.resolve('A');
  await Promise.all([first, second]);
  expect(seen).toEqual([]);
});

test('a stream is traced from its opening to its end, with each call that joins it', async () => {
  const clock = createManualClock();
  const events = ['ticketing:batching:stream-join', 'ticketing:batching:stream'];
  const seen = listen(...traced('stream'), ...events, 'ticketing:batching:stream-overflow');
  const { open, streams } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name, clock, maxKeys: 1 });
  const readers = [coalescer.follow('a'), coalescer.follow('a')];
  streams[0]?.send('1', '2');
  await settleJobs();
  await coalescer
    .follow('b')
    .next()
    .catch(() => {});
  await clock.advance(30);
  streams[0]?.end();
  for (const reader of readers) await itemsOf(reader);
  expect(seen.map(({ event }) => event)).toEqual([
    'stream:start',
    'stream:end',
    'stream-join',
    'stream-overflow',
    'stream:asyncStart',
    'stream:asyncEnd',
    'stream',
  ]);
  const message = { name, key: 'a', streamId: UUID, cause: 'call' };
  expect(seen[0]?.message).toEqual(message);
  const { streamId } = seen[0]?.message ?? {};
  expect(seen[2]?.message).toEqual({ name, key: 'a', streamId, readers: 2 });
  expect(seen[3]?.message).toEqual({ name, key: 'b', code: 'ERR_TOO_MANY_KEYS' });
  expect(seen[5]?.message).toEqual({ ...message, items: 2 });
  expect(seen[6]?.message).toEqual({ name, key: 'a', ms: 30, items: 2 });
});

test('a stream that fails or is aborted publishes its error, also one that fails at once', async () => {
  const seen = listen('tracing:ticketing:batching:stream:error', 'ticketing:batching:stream');
  const error = new Error('down');
  const failing = createStreamCoalescer(
    (): AsyncIterable<string> => {
      throw error;
    },
    { name },
  );
  await expect(failing.follow('a').next()).rejects.toBe(error);
  await createStreamCoalescer(holdStreams().open, { name }).follow('b').return();
  const aborted = expect.objectContaining({ code: 'ERR_ABORTED' });
  expect(seen.map(({ event, message }) => [event, message['key'], message['error']])).toEqual([
    ['stream:error', 'a', error],
    ['stream', 'a', error],
    ['stream:error', 'b', aborted],
    ['stream', 'b', aborted],
  ]);
});

test('a source runs in the stores that are bound to its start, to its end', async () => {
  const store = new AsyncLocalStorage<string>();
  bind('stream', store);
  async function* open() {
    yield store.getStore();
    await settleJobs();
    yield store.getStore();
  }
  const coalescer = createStreamCoalescer(open, { name });
  const read = store.run('request', () => itemsOf(coalescer.follow('a')));
  expect(await read).toEqual(['stream by request', 'stream by request']);
});

test('a stream that was opened before the subscription is joined quietly', async () => {
  const { open, streams } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name });
  const first = itemsOf(coalescer.follow('a'));
  const seen = listen('ticketing:batching:stream-join', ...traced('stream'));
  const second = itemsOf(coalescer.follow('a'));
  streams[0]?.send('1');
  streams[0]?.end();
  expect(await Promise.all([first, second])).toEqual([['1'], ['1']]);
  expect(seen).toEqual([]);
});
