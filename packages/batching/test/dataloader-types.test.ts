import DataLoader, {
  type BatchLoadFn,
  type CacheMap,
  DataLoader as Named,
  type Options,
} from '@ticketing/batching/dataloader';
import type Npm from 'dataloader';
import { expect, expectTypeOf, test } from 'vitest';

interface User {
  readonly id: number;
}

test('programs written for the types of npm’s dataloader compile', async () => {
  const load: DataLoader.BatchLoadFn<number, User> = async (ids) => ids.map((id) => ({ id }));
  const options: DataLoader.Options<number, User, string> = {
    batch: true,
    maxBatchSize: 10,
    batchScheduleFn: (callback) => setImmediate(callback),
    cache: true,
    cacheKeyFn: (id) => String(id),
    cacheMap: new Map<string, Promise<User>>(),
    name: 'users',
  };
  const users = new DataLoader<number, User, string>(load, options);
  expectTypeOf(users.load(1)).toEqualTypeOf<Promise<User>>();
  expectTypeOf(users.loadMany([1])).toEqualTypeOf<Promise<(User | Error)[]>>();
  expectTypeOf(users.name).toEqualTypeOf<string | null>();
  expectTypeOf(users.clear(1).clearAll().prime(2, new Error('no'))).toEqualTypeOf(users);
  const inferred = new Named(async (ids: readonly number[]) => ids.map((id) => ({ id })));
  expectTypeOf(inferred.load(1)).toEqualTypeOf<Promise<{ id: number }>>();
  // The types by name, as npm's are imported, are those of the namespace.
  expectTypeOf<BatchLoadFn<number, User>>().toEqualTypeOf<DataLoader.BatchLoadFn<number, User>>();
  expectTypeOf<Options<number, User, string>>().toEqualTypeOf<typeof options>();
  expectTypeOf<CacheMap<string, User>>().toEqualTypeOf<DataLoader.CacheMap<string, User>>();
  // In both directions where npm's types stand: their options make ours, ours stands for their class.
  const theirs: Npm.Options<number, User, string> = options;
  const ours: DataLoader.Options<number, User, string> = theirs;
  const takesTheirs = (loader: Npm<number, User, string>): Promise<User> => loader.load(1);
  expect(await takesTheirs(new DataLoader(load as Npm.BatchLoadFn<number, User>, ours))).toEqual({
    id: 1,
  });
  expect(Named).toBe(DataLoader);
});
