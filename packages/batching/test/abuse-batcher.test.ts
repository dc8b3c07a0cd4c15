import { type BatcherOptions, createBatcher } from '@ticketing/batching';
import { expect, test } from 'vitest';

const load = async (keys: readonly number[]): Promise<readonly number[]> => keys;

test.each([undefined, null, 'load', {}])('createBatcher(%o) throws', (loader) => {
  expect(() => createBatcher(loader as never, { name: 'stops' })).toThrow(
    new TypeError(`Cannot create batcher: \`load\` must be a function, got ${String(loader)}`),
  );
});

test.each<[unknown, Error]>([
  [null, new TypeError('Cannot create batcher: `options` must be an object, got null')],
  [{ name: '' }, new TypeError("Cannot create batcher: `name` must be a text, got ''")],
  [
    { name: 'a', size: 5 },
    new TypeError('Cannot create batcher: unknown option `size`; did you mean `maxBatchSize`?'),
  ],
  [
    { name: 'a', key: 'id' },
    new TypeError('Cannot create batcher: `key` must be a function, got id'),
  ],
  [
    { name: 'a', distinct: 1 },
    new TypeError('Cannot create batcher: `distinct` must be true or false, got 1'),
  ],
  [
    { name: 'a', maxBatchSize: 0 },
    new RangeError('Cannot create batcher: `maxBatchSize` must be an integer of 1 or more, got 0'),
  ],
  [
    { name: 'a', maxBatchSize: 1.5 },
    new RangeError(
      'Cannot create batcher: `maxBatchSize` must be an integer of 1 or more, got 1.5',
    ),
  ],
  [
    { name: 'a', concurrency: '2' },
    new TypeError('Cannot create batcher: `concurrency` must be an integer of 1 or more, got 2'),
  ],
  [
    { name: 'a', maxQueued: -1 },
    new RangeError('Cannot create batcher: `maxQueued` must be an integer of 1 or more, got -1'),
  ],
  [
    { name: 'a', maxWaitMs: -1 },
    new RangeError('Cannot create batcher: `maxWaitMs` must be 0 to 2147483647, got -1'),
  ],
  [
    { name: 'a', maxWaitMs: Number.NaN },
    new RangeError('Cannot create batcher: `maxWaitMs` must be 0 to 2147483647, got NaN'),
  ],
  [
    { name: 'a', loadTimeoutMs: 0 },
    new RangeError('Cannot create batcher: `loadTimeoutMs` must be 1 to 2147483647, got 0'),
  ],
  [
    { name: 'a', loadTimeoutMs: Number.POSITIVE_INFINITY },
    new RangeError('Cannot create batcher: `loadTimeoutMs` must be 1 to 2147483647, got Infinity'),
  ],
  [
    { name: 'a', schedule: 'later' },
    new TypeError(
      'Cannot create batcher: `schedule` must be one of tick, microtask, or a function, got later',
    ),
  ],
  [
    { name: 'a', schedule: 'tick', maxWaitMs: 5 },
    new TypeError(
      'Cannot create batcher: only one of `maxWaitMs` and `schedule` may be set, got both',
    ),
  ],
  [
    { name: 'a', missing: 'null' },
    new TypeError('Cannot create batcher: `missing` must be one of error, undefined, got null'),
  ],
  [
    { name: 'a', cache: {} },
    new TypeError(
      'Cannot create batcher: `cache` must be an object with get, set, delete, clear, got [object Object]',
    ),
  ],
  [
    { name: 'a', clock: null },
    new TypeError(
      'Cannot create batcher: `clock` must be an object with now, setTimeout, clearTimeout, got null',
    ),
  ],
])('createBatcher(load, %o) throws', (options, error) => {
  expect(() => createBatcher(load, options as BatcherOptions<number, number>)).toThrow(error);
});

test.each<[unknown, Error]>([
  [null, new TypeError('Cannot load: `options` must be an object, got null')],
  ['fast', new TypeError('Cannot load: `options` must be an object, got fast')],
  [{ timeoutMs: 5 }, new TypeError('Cannot load: unknown option `timeoutMs`; known are signal')],
  [
    { signal: {} },
    new TypeError('Cannot load: `signal` must be an AbortSignal, got [object Object]'),
  ],
])('load(key, %o) rejects', async (options, reason) => {
  const batcher = createBatcher(load, { name: 'stops' });
  await expect(batcher.load(1, options as never)).rejects.toThrow(reason);
  expect(await batcher.loadMany([1], options as never)).toEqual([{ status: 'rejected', reason }]);
});

test('load() rejects objects as keys, and what option key throws or makes of them', async () => {
  const batcher = createBatcher<unknown, unknown>(async (keys) => [...keys], { name: 'stops' });
  await batcher.load(1);
  const first = batcher.load(2);
  for (const key of [{}, [], () => {}]) {
    await expect(batcher.load(key)).rejects.toThrow(
      new TypeError('Cannot load from `stops`: a key that is an object needs option `key`'),
    );
  }
  expect(await first).toBe(2);
  const odd = createBatcher<unknown, unknown>(async (keys) => [...keys], {
    name: 'stops',
    key: (key) => {
      if (key === 'bad') throw new Error('no id');
      return {} as never;
    },
  });
  await expect(odd.load('bad')).rejects.toThrow('no id');
  await expect(odd.load('object')).rejects.toThrow(
    new TypeError('Cannot load from `stops`: option `key` must return a primitive, got an object'),
  );
});

test('loadMany() rejects what is no array', async () => {
  const batcher = createBatcher(load, { name: 'stops' });
  await expect(batcher.loadMany('ab' as never)).rejects.toThrow(
    new TypeError('Cannot load many: `keys` must be an array, got ab'),
  );
});

test('values without text, as objects without prototype, have a message of their own', async () => {
  const odd = Object.create(null);
  const noText = 'got an object without text';
  expect(() => createBatcher(odd, { name: 'stops' })).toThrow(
    new TypeError(`Cannot create batcher: \`load\` must be a function, ${noText}`),
  );
  expect(() => createBatcher(load, { name: 'stops', concurrency: odd })).toThrow(noText);
  const batcher = createBatcher(load, { name: 'stops' });
  await expect(batcher.loadMany(odd)).rejects.toThrow(
    new TypeError(`Cannot load many: \`keys\` must be an array, ${noText}`),
  );
  await expect(batcher.load(1, { signal: odd })).rejects.toThrow(noText);
});
