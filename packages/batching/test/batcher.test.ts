import { createBatcher } from '@ticketing/batching';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import { expect, test, vi } from 'vitest';
import { doubling, type Key } from './batcher-fixture.ts';

useFakeClock();

test('load() makes one batch of the keys of a tick, each once', async () => {
  const { batcher, batches } = doubling();
  const one = batcher.load(1);
  expect(batcher.load(1)).toBe(one);
  expect(await Promise.all([one, batcher.load(2), batcher.load(1)])).toEqual(['1!', '2!', '1!']);
  expect(batches).toEqual([[1, 2]]);
  expect(batcher.stats()).toMatchObject({ asked: 4, batches: 1, loaded: 2, joined: 2, queued: 0 });
});

test('load() takes along what promise callbacks of the same tick ask for', async () => {
  const { batcher, batches } = doubling();
  await Promise.all([batcher.load(1), Promise.resolve().then(() => batcher.load(2))]);
  expect(batches).toEqual([[1, 2]]);
});

test('schedule microtask sends before later promise jobs', async () => {
  const { batcher, batches } = doubling({ schedule: 'microtask' });
  const late = Promise.resolve()
    .then(() => {})
    .then(() => batcher.load(3));
  await Promise.all([batcher.load(1), batcher.load(2), late]);
  expect(batches).toEqual([[1, 2], [3]]);
});

test('schedule as a function decides when, even at once, and its throw rejects the call', async () => {
  const due: (() => void)[] = [];
  const held = doubling({ schedule: (dispatch) => due.push(dispatch) });
  const both = Promise.all([held.batcher.load(1), held.batcher.load(2)]);
  expect(due).toHaveLength(1);
  due[0]?.();
  due[0]?.();
  await both;
  expect(held.batches).toEqual([[1, 2]]);

  const eager = doubling({ schedule: (dispatch) => dispatch() });
  await Promise.all([eager.batcher.load(1), eager.batcher.load(2)]);
  expect(eager.batches).toEqual([[1], [2]]);

  const broken = doubling({
    cache: true,
    schedule: () => {
      throw new Error('no schedule');
    },
  });
  await expect(broken.batcher.load(1)).rejects.toThrow('no schedule');
  expect(broken.batcher.stats()).toMatchObject({ queued: 0, hits: 0 });
  await expect(broken.batcher.load(1)).rejects.toThrow('no schedule');
});

test('maxWaitMs collects keys for its time; a full batch goes at once, its equal keys still join', async () => {
  const { batcher, batches } = doubling({ maxWaitMs: 50, maxBatchSize: 3 });
  const first = batcher.loadMany([1, 2]);
  await vi.advanceTimersByTimeAsync(49);
  expect(batches).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(batches).toEqual([[1, 2]]);
  await first;
  await batcher.loadMany([3, 3, 4, 5, 5]);
  expect(batches).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
  expect(batcher.stats().joined).toBe(2);
});

test('maxBatchSize counts different keys', async () => {
  const { batcher, batches } = doubling({ maxBatchSize: 2 });
  await batcher.loadMany([1, 1, 1, 2, 1, 2, 3, 3, 4, 5]);
  expect(batches).toEqual([[1, 2], [3, 4], [5]]);
  const { batcher: single, batches: singles } = doubling({ maxBatchSize: 1 });
  await single.loadMany([1, 1, 2]);
  expect(singles).toEqual([[1], [2]]);
});

test('a loader that asks for a key while its full batch goes does not double it', async () => {
  const batches: number[][] = [];
  const batcher = createBatcher<number, number>(
    async (keys) => {
      batches.push([...keys]);
      if (keys[0] === 1) expect(await batcher.load(2)).toBe(2);
      return [...keys];
    },
    { name: 'nested', maxBatchSize: 1 },
  );
  expect(await Promise.all([batcher.load(1), batcher.load(2)])).toEqual([1, 2]);
  expect(batches).toEqual([[1], [2]]);
});

test('concurrency lets batches wait, which take further keys until they are full', async () => {
  const answers: (() => void)[] = [];
  const batches: string[] = [];
  const batcher = createBatcher<number, number>(
    (keys) => {
      batches.push(keys.join());
      return new Promise((resolve) => answers.push(() => resolve(keys)));
    },
    { name: 'stops', concurrency: 1, maxBatchSize: 2 },
  );
  const all = batcher.loadMany([1, 2, 3, 4, 5]);
  await vi.advanceTimersByTimeAsync(0);
  const late = batcher.loadMany([5, 6, 7]);
  expect(batcher.stats()).toMatchObject({ queued: 5, inFlight: 2 });
  batcher.flush();
  for (let sent = 1; sent <= 4; sent++) {
    await vi.advanceTimersByTimeAsync(0);
    expect(batches).toHaveLength(sent);
    answers[sent - 1]?.();
  }
  await Promise.all([all, late]);
  expect(batches).toEqual(['1,2', '3,4', '5,6', '7']);
  expect(batcher.stats()).toMatchObject({ queued: 0, inFlight: 0, batches: 4 });
});

test('maxQueued refuses one key more, and not one that joins', async () => {
  const { batcher } = doubling({ maxQueued: 2 });
  const both = batcher.loadMany([1, 2, 1]);
  await expect(batcher.load(3)).rejects.toMatchObject({
    code: 'ERR_TOO_MANY_KEYS',
    message: 'Batcher `stops` is full: `maxQueued` (2) keys wait',
    data: { name: 'stops', key: 3, limit: 2 },
  });
  await both;
  expect(batcher.stats()).toMatchObject({ overflowed: 1, queued: 0, loaded: 2 });
  expect(await batcher.load(3)).toBe('3!');
});

test('maxQueued does not count what goes since its batch is full', async () => {
  const { batcher } = doubling({ maxQueued: 10, maxBatchSize: 10 });
  await batcher.loadMany(Array.from({ length: 1000 }, (_, key) => key));
  expect(batcher.stats()).toMatchObject({ overflowed: 0, loaded: 1000, batches: 100 });
});

test('keys are what they are: no property of an object, no text of a number', async () => {
  const odd: Key[] = ['constructor', '__proto__', 'toString', '', Number.NaN, undefined, 1, '1'];
  const { batcher, batches } = doubling();
  const values = await Promise.all([...odd, ...odd].map((key) => batcher.load(key)));
  expect(batches).toEqual([odd]);
  expect(values).toEqual([...odd, ...odd].map((key) => `${String(key)}!`));
});

test('key recognises objects', async () => {
  const batches: number[][] = [];
  const batcher = createBatcher<{ id: number }, number>(
    async (stops) => {
      batches.push(stops.map(({ id }) => id));
      return stops.map(({ id }) => id * 2);
    },
    { name: 'stops', key: ({ id }) => id },
  );
  expect(await batcher.load({ id: 1 })).toBe(2);
  await batcher.loadMany([{ id: 1 }, { id: 2 }, { id: 1 }]);
  expect(batches).toEqual([[1], [1, 2]]);
});

test('distinct compares no keys', async () => {
  const { batcher, batches } = doubling({ distinct: true, maxBatchSize: 3 });
  await batcher.loadMany([1, 1, 2, 2]);
  expect(batches).toEqual([[1, 1, 2], [2]]);
  const stop = {};
  const objects = createBatcher<object, object>(async (keys) => [...keys], {
    name: 'objects',
    distinct: true,
  });
  expect(await objects.load(stop)).toBe(stop);
});
