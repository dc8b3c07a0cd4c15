import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createBatcher } from '@ticketing/batching';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import { expect, test, vi } from 'vitest';
import { doubling } from './batcher-fixture.ts';

useFakeClock();

test('loadTimeoutMs fails the batch, aborts its signal, and makes room for the next', async () => {
  const signals: AbortSignal[] = [];
  const batcher = createBatcher<number, number>(
    (_, { signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    },
    { name: 'stops', loadTimeoutMs: 100, concurrency: 1, maxBatchSize: 1 },
  );
  const settled = batcher.loadMany([1, 2]);
  await vi.advanceTimersByTimeAsync(100);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(100);
  const reason = {
    code: 'ERR_BATCH_TIMEOUT',
    message: 'Batch of `stops` did not finish within `loadTimeoutMs` (100 ms)',
  };
  expect(await settled).toMatchObject([{ reason }, { reason }]);
  expect(signals[0]?.reason).toMatchObject(reason);
  expect(batcher.stats()).toMatchObject({ inFlight: 0, failed: 2 });
});

test('a batch that timed out is aborted before its successor starts', async () => {
  const log: string[] = [];
  const batcher = createBatcher<number, number>(
    ([key], { signal }) => {
      log.push(`start ${key}`);
      signal.addEventListener('abort', () => log.push(`abort ${key}`));
      return new Promise(() => {});
    },
    { name: 'stops', loadTimeoutMs: 20, concurrency: 1, maxBatchSize: 1 },
  );
  const settled = batcher.loadMany([1, 2]);
  await vi.advanceTimersByTimeAsync(20);
  expect(log).toEqual(['start 1', 'abort 1', 'start 2']);
  await vi.advanceTimersByTimeAsync(20);
  expect(log).toEqual(['start 1', 'abort 1', 'start 2', 'abort 2']);
  await settled;
});

test('a key asked for again while its batch is aborted by its timeout is loaded anew', async () => {
  const answers: Promise<number>[] = [];
  let started = 0;
  const batcher = createBatcher<number, number>(
    (keys, { signal }) => {
      started += 1;
      signal.addEventListener('abort', () => answers.push(batcher.load(1)));
      return started === 1 ? new Promise(() => {}) : Promise.resolve([...keys]);
    },
    { name: 'stops', loadTimeoutMs: 20, cache: true },
  );
  const first = batcher.load(1);
  void first.catch(() => {});
  await vi.advanceTimersByTimeAsync(20);
  await expect(first).rejects.toMatchObject({ code: 'ERR_BATCH_TIMEOUT' });
  expect(await Promise.all(answers)).toEqual([1]);
});

test('clock measures and waits', async () => {
  const due: (() => void)[] = [];
  const clock = { now: () => 7, setTimeout: (run: () => void) => due.push(run), clearTimeout() {} };
  const { batcher } = doubling({ clock, maxWaitMs: 10 });
  const loaded = batcher.load(1);
  due[0]?.();
  expect(await loaded).toBe('1!');
});

test('flush() sends what waits now', async () => {
  const { batcher, batches } = doubling({ maxWaitMs: 60_000 });
  batcher.flush();
  const one = batcher.load(1);
  batcher.flush();
  expect(batches).toEqual([[1]]);
  expect(await one).toBe('1!');
});

test('close() rejects what waits, aborts what is under way, and refuses the rest', async () => {
  let resolve!: (values: number[]) => void;
  const promise = new Promise<number[]>((onValues) => {
    resolve = onValues;
  });
  const signals: AbortSignal[] = [];
  const batcher = createBatcher<number, number>(
    (_, { signal }) => {
      signals.push(signal);
      return promise;
    },
    { name: 'stops', concurrency: 1, maxBatchSize: 1, cache: true, maxWaitMs: 5 },
  );
  const settled = batcher.loadMany([1, 2, 3]);
  await vi.advanceTimersByTimeAsync(5);
  await Promise.all([batcher.close(), batcher.close(), batcher[Symbol.asyncDispose]()]);
  const reason = {
    code: 'ERR_CLOSED',
    message: 'Cannot load from `stops`: the batcher is closed',
  };
  expect(signals.map(({ reason }) => reason)).toMatchObject([reason]);
  await expect(batcher.load(1)).rejects.toMatchObject(reason);
  expect(await batcher.loadMany([1])).toMatchObject([{ reason }]);
  resolve([10]);
  expect(await settled).toMatchObject([{ value: 10 }, { reason }, { reason }]);
  expect(batcher.stats()).toMatchObject({ queued: 0, inFlight: 0 });
});

test('the loader sees the async context of the batcher, callers keep theirs', async () => {
  const tenant = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const batcher = tenant.run('maker', () =>
    createBatcher<number, number>(
      async (keys) => {
        seen.push(tenant.getStore());
        return [...keys];
      },
      { name: 'stops' },
    ),
  );
  const load = (key: number) => async (): Promise<unknown> => {
    await batcher.load(key);
    return tenant.getStore();
  };
  expect(await Promise.all([tenant.run('a', load(1)), tenant.run('b', load(2))])).toEqual([
    'a',
    'b',
  ]);
  expect(seen).toEqual(['maker']);
});

test('the channel reports each batch that settles', async () => {
  const told: unknown[] = [];
  const listen = (message: unknown): void => {
    told.push(message);
  };
  const { batcher } = doubling({}, async (keys) => {
    vi.advanceTimersByTime(3);
    return keys.map((key) => (key === 1 ? new Error('one') : key));
  });
  subscribe('ticketing:batching:batch', listen);
  await batcher.loadMany([1, 2]);
  unsubscribe('ticketing:batching:batch', listen);
  await batcher.loadMany([3]);
  expect(told).toEqual([{ name: 'stops', keys: 2, ms: 3, failed: 1 }]);
});
