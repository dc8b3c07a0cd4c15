import { expect, expectTypeOf, test } from 'vitest';
import {
  type BatchCache,
  type BatcherOptions,
  coalesce,
  createBatcher,
  createCoalescer,
} from '../src/index.ts';

interface User {
  readonly id: number;
}
const users = new Map([[1, { id: 1 }]]);
const loadUsers = async (_ids: readonly number[]): Promise<ReadonlyMap<number, User>> => users;

test('createBatcher() gives V, and V or undefined where a key may be missing', async () => {
  const strict = createBatcher(loadUsers, { name: 'users' });
  expectTypeOf(strict.load(1)).toEqualTypeOf<Promise<User>>();
  expectTypeOf(createBatcher(loadUsers, { missing: 'error' }).load(1)).toEqualTypeOf<
    Promise<User>
  >();

  const lax = createBatcher(loadUsers, { name: 'users', missing: 'undefined' });
  expectTypeOf(lax.load(1)).toEqualTypeOf<Promise<User | undefined>>();
  expectTypeOf(lax.loadMany([1])).toEqualTypeOf<
    Promise<PromiseSettledResult<User | undefined>[]>
  >();
  expect(await lax.load(2)).toBeUndefined();
  // @ts-expect-error: there may be none
  await expect(lax.load(2).then((user) => user.id)).rejects.toThrow(TypeError);

  const explicit = createBatcher<number, User>(loadUsers, { missing: 'undefined' });
  expectTypeOf(explicit.load(1)).toEqualTypeOf<Promise<User | undefined>>();
  const options: BatcherOptions<number, User> = { missing: 'undefined' };
  expectTypeOf(createBatcher(loadUsers, options).load(1)).toEqualTypeOf<
    Promise<User | undefined>
  >();
  const cache: BatchCache<User | undefined> = new Map();
  const cached = createBatcher(loadUsers, { missing: 'undefined', cache });
  expectTypeOf(cached.load(1)).toEqualTypeOf<Promise<User | undefined>>();
});

test('createBatcher() takes loaders that answer at once, with an array or a Map', async () => {
  const doubled = createBatcher((keys: readonly number[]) => keys.map((key) => key * 2));
  expectTypeOf(doubled.load(1)).toEqualTypeOf<Promise<number>>();
  expect(await doubled.load(1)).toBe(2);
  const found = createBatcher((_ids: readonly number[]): ReadonlyMap<number, User> => users);
  expectTypeOf(found.load(1)).toEqualTypeOf<Promise<User>>();
  expect(await found.load(1)).toEqual({ id: 1 });
  const some = createBatcher((keys: readonly number[]) =>
    keys.map((key) => (key > 0 ? key : new Error('below 0'))),
  );
  expectTypeOf(some.load(1)).toEqualTypeOf<Promise<number>>();
});

test('coalesce() keeps the signature of a function: type parameters and overloads', async () => {
  const same = coalesce(async <T>(value: T) => value, { name: 'same' });
  expectTypeOf(await same(1 as const)).toEqualTypeOf<1>();
  expectTypeOf(await same('a' as const)).toEqualTypeOf<'a'>();
  expect(await same('a')).toBe('a');

  function price(id: number): Promise<number>;
  function price(name: string): Promise<string>;
  async function price(of: number | string): Promise<number | string> {
    return of;
  }
  const priced = coalesce(price, {});
  expectTypeOf(await priced(1)).toEqualTypeOf<number>();
  expectTypeOf(await priced('a')).toEqualTypeOf<string>();
});

test('coalesce() types forget(), peek() and tags by the arguments and the value of its function', async () => {
  const price = coalesce(async (train: string, day: number) => ({ train, cents: day }), {
    ttlMs: 1000,
    tags: (value, args) => {
      expectTypeOf(value).toEqualTypeOf<{ train: string; cents: number }>();
      expectTypeOf(args).toEqualTypeOf<[train: string, day: number]>();
      return [value.train];
    },
  });
  expectTypeOf(price.forget).parameters.toEqualTypeOf<[train: string, day: number]>();
  expectTypeOf(price.peek).parameters.toEqualTypeOf<[train: string, day: number]>();
  expectTypeOf(price.forgetTag).toEqualTypeOf<(tag: string) => number>();
  await price('ice', 1);
  const kept = price.peek('ice', 1);
  expect(kept?.kind === 'value' && kept.value.cents).toBe(1);
  // @ts-expect-error: tags are texts
  coalesce(async (id: number) => id, { tags: (value) => [value] });
});

test('coalesce() makes a promise of what a function returns', async () => {
  const sum = coalesce((a: number, b?: number) => a + (b ?? 0));
  expectTypeOf(sum).parameters.toEqualTypeOf<[a: number, b?: number | undefined]>();
  expectTypeOf(sum(1)).toEqualTypeOf<Promise<number>>();
  expect(await sum(1)).toBe(1);
  const either = coalesce((a: number): number | Promise<string> => a);
  expectTypeOf(either(1)).toEqualTypeOf<Promise<number | string>>();
  const keyed = coalesce(async ({ id }: User) => id, { key: ({ id }) => id });
  expectTypeOf(keyed({ id: 1 })).toEqualTypeOf<Promise<number>>();
  expectTypeOf(keyed.forget).parameters.toEqualTypeOf<[User]>();
  // A function with fields of its own: the wrapped one has not got them.
  const labelled = coalesce(Object.assign(async (id: number) => id, { label: 'a' }));
  expectTypeOf(labelled(1)).toEqualTypeOf<Promise<number>>();
  // @ts-expect-error: it is not there
  expect(labelled.label).toBeUndefined();
  // @ts-expect-error: a number is not a text
  await sum('a');
});

test('options that are optional may be undefined', async () => {
  const none = undefined as AbortSignal | undefined;
  const coalescer = createCoalescer(async (id: number) => id, {
    ...{ name: undefined, key: undefined, loadTimeoutMs: undefined, maxKeys: undefined },
    ...{ maxWaitersPerKey: undefined, overflow: undefined, share: undefined, context: undefined },
    ...{ errorTtlMs: undefined, ttlMs: undefined, staleMs: undefined, jitter: undefined },
    ...{ maxEntries: undefined, tags: undefined, clock: undefined, random: undefined },
  });
  const call = { signal: none, timeoutMs: undefined, fresh: undefined };
  expect(await coalescer.get(1, call)).toBe(1);
  const batcher = createBatcher(async (ids: readonly number[]) => ids, {
    ...{ name: undefined, key: undefined, distinct: undefined, maxBatchSize: undefined },
    ...{ maxWaitMs: undefined, schedule: undefined, concurrency: undefined, maxQueued: undefined },
    ...{ loadTimeoutMs: undefined, missing: undefined, cache: undefined, clock: undefined },
  });
  expect(await batcher.load(1, { signal: none })).toBe(1);
  expect(await batcher.loadMany([1], { signal: none })).toHaveLength(1);
});

test('a name is that of the loader, unless one is given', async () => {
  const loadUser = async (id: number): Promise<User> => ({ id });
  expect(createCoalescer(loadUser).stats().name).toBe('loadUser');
  expect(createCoalescer(async (id: number) => id).stats().name).toBe('coalescer');
  expect(coalesce(loadUser).stats().name).toBe('loadUser');
  expect(coalesce(async (id: number) => id, {}).stats().name).toBe('coalescer');
  expect(createBatcher(loadUsers).stats().name).toBe('loadUsers');
  expect(createBatcher((ids: readonly number[]) => ids).stats().name).toBe('batcher');
  expect(createBatcher(loadUsers, { name: 'users' }).stats().name).toBe('users');
});
