import { getEventListeners } from 'node:events';
import { createBatcher, createCoalescer } from '@ticketing/batching';
import { scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';

const calls = scaled({ fast: 3000, full: 100_000 });
const keys = Array.from({ length: calls }, (_, key) => key);

test.each([false, true])(
  `${calls} keys of a coalescer leave nothing behind (failing: %s)`,
  async (failing) => {
    const load = async (key: number) => (failing ? Promise.reject(key) : key);
    const coalescer = createCoalescer(load, { name: 'many', maxKeys: calls });
    await Promise.allSettled(keys.map((key) => coalescer.get(key)));
    expect(coalescer.stats()).toMatchObject({
      loaded: calls,
      failed: failing ? calls : 0,
      inFlight: 0,
      unshared: 0,
      kept: 0,
    });
  },
);

test.each([false, true])(
  `${calls} keys of a batcher leave nothing behind (failing: %s)`,
  async (failing) => {
    const load = async (keys: readonly number[]) => keys.map(() => (failing ? new Error('no') : 1));
    const batcher = createBatcher(load, { name: 'many' });
    await batcher.loadMany(keys);
    expect(batcher.stats()).toEqual({
      name: 'many',
      asked: calls,
      batches: Math.ceil(calls / 1000),
      loaded: calls,
      joined: 0,
      hits: 0,
      failed: failing ? calls : 0,
      left: 0,
      overflowed: 0,
      queued: 0,
      inFlight: 0,
    });
  },
);

test(`${calls} calls of a coalescer on one signal have one listener, and leave none`, async () => {
  const { signal } = new AbortController();
  const coalescer = createCoalescer(async (key: number) => key, { name: 'many', maxKeys: calls });
  const answers = keys.map((key) => coalescer.get(key, { signal }));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await Promise.all(answers);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test(`${calls} calls of a batcher on one signal have one listener, and leave none`, async () => {
  const { signal } = new AbortController();
  const batcher = createBatcher(async (keys: readonly number[]) => [...keys], { name: 'many' });
  const answers = batcher.loadMany(keys, { signal });
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await answers;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(batcher.stats()).toMatchObject({ queued: 0, inFlight: 0, left: 0 });
});
