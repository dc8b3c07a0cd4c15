import { createBatcher } from '@ticketing/batching';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import { expect, test } from 'vitest';
import { doubling, type Key } from './batcher-fixture.ts';

useFakeClock();

test.each<[string, unknown, string, string]>([
  ['too few', ['a'], 'ERR_BATCH_LENGTH', 'must return one result per key (2), got 1'],
  ['too many', ['a', 'b', 'c'], 'ERR_BATCH_LENGTH', 'must return one result per key (2), got 3'],
  ['an object', {}, 'ERR_BATCH_RESULT', 'must return an array or a Map, got [object Object]'],
  ['null', null, 'ERR_BATCH_RESULT', 'must return an array or a Map, got null'],
])('%s as results fails every key', async (_, result, code, message) => {
  const { batcher } = doubling({}, () => result);
  const settled = await batcher.loadMany([1, 2]);
  const reason = { code, message: `Batch loader of \`stops\` ${message}` };
  expect(settled).toMatchObject([{ reason }, { reason }]);
  expect(batcher.stats()).toMatchObject({ failed: 2, inFlight: 0 });
});

test('a Map answers by key; what it does not have is an error or undefined', async () => {
  const answer = (): Map<Key, unknown> =>
    new Map<Key, unknown>([
      [1, 'one'],
      [3, undefined],
    ]);
  const strict = doubling({}, answer).batcher;
  expect(await strict.loadMany([1, 2, 3])).toMatchObject([
    { value: 'one' },
    {
      reason: {
        code: 'ERR_KEY_MISSING',
        message:
          "Batch loader of `stops` returned no result for key 2; `missing: 'undefined'` allows that",
        data: { key: 2 },
      },
    },
    { status: 'fulfilled', value: undefined },
  ]);
  const lax = doubling({ missing: 'undefined' }, answer).batcher;
  expect(await Promise.all([lax.load(1), lax.load(2)])).toEqual(['one', undefined]);
});

test('an Error among the results fails its key alone, and the next load tries again', async () => {
  let broken = true;
  const { batcher, batches } = doubling({}, (keys) =>
    keys.map((key) => (key === 2 && broken ? new Error('no stop 2') : key)),
  );
  const retried = batcher.load(2).catch((error) => {
    broken = false;
    expect(error.message).toBe('no stop 2');
    return batcher.load(2);
  });
  expect(await Promise.all([batcher.load(1), retried])).toEqual([1, 2]);
  expect(batches).toEqual([[2, 1], [2]]);
  expect(batcher.stats().failed).toBe(1);
});

test.each<[string, () => never | Promise<never>]>([
  [
    'throws',
    () => {
      throw new Error('down');
    },
  ],
  ['rejects', () => Promise.reject(new Error('down'))],
])('a loader that %s fails every key of its batch, and nothing else', async (_, load) => {
  const batcher = createBatcher<number, never>(load, { name: 'stops' });
  const reason = new Error('down');
  expect(await batcher.loadMany([1, 2])).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
  expect(batcher.stats()).toMatchObject({ failed: 2, inFlight: 0, queued: 0 });
});

test('a loader may answer without a promise, by a thenable, or change the array of its keys', async () => {
  const plain = createBatcher<number, number>(((keys: number[]) => keys) as never, { name: 'a' });
  expect(await plain.load(1)).toBe(1);
  const thenable = createBatcher<number, number>(
    // biome-ignore lint/suspicious/noThenProperty: what database clients give
    (keys) => ({ then: (resolve: (keys: readonly number[]) => void) => resolve(keys) }) as never,
    { name: 'b' },
  );
  expect(await thenable.load(1)).toBe(1);
  const taking = createBatcher<number, number>(
    async (keys) => {
      (keys as number[]).length = 0;
      return keys;
    },
    { name: 'c' },
  );
  await expect(taking.load(1)).rejects.toMatchObject({ code: 'ERR_BATCH_LENGTH' });
});
