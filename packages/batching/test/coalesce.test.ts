import { expect, test } from 'vitest';
import { coalesce } from '../src/index.ts';

test('coalesce() shares one call between equal arguments, all of which count', async () => {
  const calls: unknown[][] = [];
  const add = coalesce(
    async (a: number, b: number | string) => {
      calls.push([a, b]);
      return `${a}${b}`;
    },
    { name: 'add' },
  );
  expect(await Promise.all([add(1, 2), add(1, 2), add(1, 3), add(1, '2')])).toEqual([
    '12',
    '12',
    '13',
    '12',
  ]);
  expect(calls).toEqual([
    [1, 2],
    [1, 3],
    [1, '2'],
  ]);
  expect(add.stats()).toMatchObject({ name: 'add', asked: 4, loaded: 3, joined: 1 });
});

test('coalesce() refuses objects without option key, and takes them with it', async () => {
  const name = 'user';
  const user = coalesce(async ({ id }: { id: number }) => id, { name });
  await expect(user({ id: 1 })).rejects.toThrow(
    new TypeError('Cannot call `user`: an argument that is an object needs option `key`'),
  );
  const keyed = coalesce(async ({ id }: { id: number }) => id, { name, key: ({ id }) => id });
  expect(await Promise.all([keyed({ id: 1 }), keyed({ id: 1 })])).toEqual([1, 1]);
  expect(keyed.stats().loaded).toBe(1);
});

test('forget() of a wrapped function takes its arguments', async () => {
  let calls = 0;
  const count = coalesce(async (_key: string) => ++calls, { name: 'count', ttlMs: 10_000 });
  expect([await count('a'), await count('a')]).toEqual([1, 1]);
  expect(count.forget('a')).toBe(true);
  expect(await count('a')).toBe(2);
});

test('has() of a wrapped function returns whether a call would join one in flight, and makes none', async () => {
  let calls = 0;
  const count = coalesce(async (_key: string) => ++calls, { name: 'count' });
  expect(count.has('a')).toBe(false);
  expect(calls).toBe(0);
  const first = count('a');
  expect([count.has('a'), count.has('b')]).toEqual([true, false]);
  await first;
  expect(count.has('a')).toBe(false);
  expect(() => count.has({} as never)).toThrow('an argument that is an object');
});
