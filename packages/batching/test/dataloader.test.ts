import { DataLoader as Own } from '@ticketing/batching/dataloader';
import Npm from 'dataloader';
import { describe, expect, test } from 'vitest';

// Each test runs on npm's `dataloader` and on the class that takes its place.
const implementations: [string, typeof Npm][] = [
  ['npm', Npm],
  ['own', Own as unknown as typeof Npm],
];

describe.each(implementations)('%s DataLoader', (_, DataLoader) => {
  /** A loader of the keys themselves, and the batches it was asked for. */
  function identity<K, C = K>(options?: Npm.Options<K, K, C>) {
    const batches: K[][] = [];
    const loader = new DataLoader<K, K, C>(async (keys) => {
      batches.push([...keys]);
      return [...keys];
    }, options);
    return { loader, batches };
  }

  test('batches the keys of a tick, and of its promise callbacks', async () => {
    const { loader, batches } = identity<number>();
    const late = Promise.resolve()
      .then(() => {})
      .then(() => loader.load(3));
    expect(await Promise.all([loader.load(1), loader.load(2), loader.load(1), late])).toEqual([
      1, 2, 1, 3,
    ]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  test('batches at most maxBatchSize keys, in their order', async () => {
    const { loader, batches } = identity<number>({ maxBatchSize: 2 });
    await loader.loadMany([1, 2, 3, 1, 4, 5]);
    expect(batches).toEqual([[1, 2], [3, 4], [5]]);
    const single = identity<number>({ batch: false });
    await single.loader.loadMany([1, 2]);
    expect(single.batches).toEqual([[1], [2]]);
  });

  test('caches, and answers what is cached together with the next batch', async () => {
    const { loader, batches } = identity<number>();
    await loader.load(1);
    const order: string[] = [];
    await Promise.all([
      loader.load(1).then(() => {
        order.push('cached');
        return loader.load(3);
      }),
      loader.load(2).then(() => {
        order.push('loaded');
        return loader.load(4);
      }),
    ]);
    expect(order).toHaveLength(2);
    expect(batches.map((keys) => keys.toSorted())).toEqual([[1], [2], [3, 4]]);
  });

  test('answers a batch of nothing but cached keys', async () => {
    const { loader, batches } = identity<number>();
    await loader.loadMany([1, 2]);
    expect(await loader.loadMany([1, 2])).toEqual([1, 2]);
    expect(batches).toEqual([[1, 2]]);
  });

  test('clear() and clearAll() forget, within a tick, too, and chain', async () => {
    const { loader, batches } = identity<string>();
    const a = loader.load('a');
    expect(loader.clear('a').clear('nothing')).toBe(loader);
    await Promise.all([a, loader.load('a'), loader.load('b')]);
    expect(batches).toEqual([['a', 'a', 'b']]);
    expect(loader.clearAll()).toBe(loader);
    await loader.loadMany(['a', 'b']);
    expect(batches).toEqual([
      ['a', 'a', 'b'],
      ['a', 'b'],
    ]);
  });

  test('prime() keeps a value, a promise or an Error, unless the key is known, and chains', async () => {
    const { loader, batches } = identity<string>();
    expect(loader.prime('a', 'primed').prime('a', 'again')).toBe(loader);
    loader.prime('p', Promise.resolve('promised')).prime('e', new Error('primed'));
    expect(await loader.loadMany(['a', 'p', 'e', 'b'])).toEqual([
      'primed',
      'promised',
      new Error('primed'),
      'b',
    ]);
    loader.prime('b', 'too late');
    expect(await loader.load('b')).toBe('b');
    loader.clear('b').prime('b', 'in time');
    expect(await loader.load('b')).toBe('in time');
    expect(batches).toEqual([['b']]);
  });

  test('an Error among the values rejects its key, and stays cached', async () => {
    let calls = 0;
    const loader = new DataLoader<number, number>(async (keys) => {
      calls += 1;
      return keys.map((key) => (key % 2 ? new Error(`odd ${key}`) : key));
    });
    expect(await loader.loadMany([1, 2])).toEqual([new Error('odd 1'), 2]);
    await expect(loader.load(1)).rejects.toThrow('odd 1');
    expect(calls).toBe(1);
    await expect(loader.clear(1).load(1)).rejects.toThrow('odd 1');
    expect(calls).toBe(2);
  });

  test('a batch that fails as a whole is not cached', async () => {
    let broken = true;
    const loader = new DataLoader<number, number>(async (keys) => {
      if (broken) throw new Error('down');
      return [...keys];
    });
    expect(await loader.loadMany([1, 2, 1])).toEqual(Array(3).fill(new Error('down')));
    broken = false;
    expect(await loader.loadMany([1, 2])).toEqual([1, 2]);
  });

  test('a batch function that clears the cache loads its keys again', async () => {
    const batches: (readonly number[])[] = [];
    const loader = new DataLoader<number, number>(async (keys) => {
      loader.clearAll();
      batches.push([...keys]);
      return [...keys];
    });
    await loader.loadMany([1, 2]);
    await loader.loadMany([1, 3]);
    expect(batches).toEqual([
      [1, 2],
      [1, 3],
    ]);
  });

  test('without a cache each load is a key of its own', async () => {
    for (const options of [{ cache: false }, { cacheMap: null }]) {
      const { loader, batches } = identity<number>(options);
      loader.prime(1, 9).clear(1).clearAll();
      await loader.loadMany([1, 1, 2]);
      expect(batches).toEqual([[1, 1, 2]]);
    }
  });

  test('cacheKeyFn recognises objects', async () => {
    const { loader, batches } = identity<{ id: number }, number>({ cacheKeyFn: ({ id }) => id });
    const [one, same] = await Promise.all([loader.load({ id: 1 }), loader.load({ id: 1 })]);
    expect(same).toBe(one);
    await loader.clear({ id: 1 }).prime({ id: 1 }, { id: 7 }).load({ id: 2 });
    expect(await loader.load({ id: 1 })).toEqual({ id: 7 });
    expect(batches).toEqual([[{ id: 1 }], [{ id: 2 }]]);
  });

  test('cacheMap holds promises under the keys', async () => {
    const log: unknown[] = [];
    const map = new Map<string, Promise<string>>();
    const cacheMap: Npm.CacheMap<string, Promise<string>> = {
      get: (key) => map.get(key),
      set: (key, value) => log.push(['set', key, value instanceof Promise]) && map.set(key, value),
      delete: (key) => log.push(['delete', key]) && map.delete(key),
      clear: () => log.push(['clear']) && map.clear(),
    };
    const { loader, batches } = identity<string>({ cacheMap });
    await loader.loadMany(['a', 'a']);
    loader.clear('a').clearAll();
    await loader.load('a');
    expect(log).toEqual([['set', 'a', true], ['delete', 'a'], ['clear'], ['set', 'a', true]]);
    expect(batches).toEqual([['a'], ['a']]);
  });

  test('batchScheduleFn decides when a batch goes', async () => {
    const due: (() => void)[] = [];
    const { loader, batches } = identity<string>({
      batchScheduleFn: (callback) => {
        due.push(callback);
      },
    });
    const first = Promise.all([loader.load('a'), loader.load('b')]);
    await Promise.resolve();
    expect(batches).toEqual([]);
    expect(due).toHaveLength(1);
    due[0]?.();
    await first;
    const second = loader.load('c');
    due[1]?.();
    await second;
    expect(batches).toEqual([['a', 'b'], ['c']]);
  });

  test('name is what was given, else null', () => {
    expect(identity().loader.name).toBeNull();
    expect(identity({ name: 'users' }).loader.name).toBe('users');
    expect(identity({ name: '' }).loader.name).toBeNull();
  });

  test('calls schedule and cacheKeyFn on the loader, and neither cache nor cacheKeyFn without a cache', async () => {
    const seen: unknown[] = [];
    const options = {
      batchScheduleFn(this: unknown, callback: () => void) {
        seen.push(this);
        queueMicrotask(callback);
      },
      cacheKeyFn(this: unknown, key: number) {
        seen.push(this);
        return key;
      },
    };
    const { loader } = identity<number>(options);
    await loader.load(1);
    expect(seen).toEqual([loader, loader]);
    const refuse = (): never => {
      throw new Error('a cache that is off');
    };
    const cacheMap = { get: refuse, set: refuse, delete: refuse, clear: refuse };
    const off = identity<number>({ cache: false, cacheMap, cacheKeyFn: refuse });
    expect(await off.loader.loadMany([1, 1])).toEqual([1, 1]);
    expect(off.batches).toEqual([[1, 1]]);
  });

  test('counts different keys against maxBatchSize, not the cached ones', async () => {
    const { loader, batches } = identity<number>({ maxBatchSize: 2 });
    await loader.load(1);
    await loader.loadMany([1, 2, 1, 2, 3, 1, 4]);
    expect(batches).toEqual([[1], [2, 3], [4]]);
  });

  test('a loader can ask another loader: one batch of each', async () => {
    const { loader: deep, batches: deepBatches } = identity<number>();
    const batches: (readonly number[])[] = [];
    const outer = new DataLoader<number, number>(async (keys) => {
      batches.push([...keys]);
      return deep.loadMany(keys);
    });
    expect(await outer.loadMany([1, 2])).toEqual([1, 2]);
    expect([batches, deepBatches]).toEqual([[[1, 2]], [[1, 2]]]);
  });

  test('calls the batch function on the loader, and can be extended', async () => {
    const seen: unknown[] = [];
    class Users extends DataLoader<number, number> {
      override load(key: number): Promise<number> {
        seen.push(key);
        return super.load(key);
      }
    }
    const users = new Users(async function (this: unknown, keys) {
      seen.push(this);
      return [...keys];
    } as Npm.BatchLoadFn<number, number>);
    await users.loadMany([1, 2]);
    expect(seen).toEqual([1, 2, users]);
    expect(await new Proxy(users, {}).load(2)).toBe(2);
  });

  test('takes what is like an array', async () => {
    const loader = new DataLoader<number, number>(async (keys) => ({
      0: (keys[0] as number) * 2,
      1: (keys[1] as number) * 2,
      length: 2,
    }));
    expect(await loader.loadMany({ 0: 1, 1: 2, length: 2 })).toEqual([2, 4]);
    expect(await loader.loadMany([])).toEqual([]);
  });

  test('keys are what they are', async () => {
    const odd: unknown[] = ['constructor', '', 0, false, Number.NaN, '1', 1, {}, Symbol.iterator];
    const { loader, batches } = identity<unknown>();
    expect(await loader.loadMany([...odd, ...odd])).toEqual([...odd, ...odd]);
    expect(batches).toEqual([odd]);
  });
});

test('callers go on in the order in which they asked, as with npm’s, also where answers are cached', async () => {
  const orderOf = async (DataLoader: typeof Npm): Promise<string[]> => {
    const order: string[] = [];
    const loader = new DataLoader<number, number>(async (keys) => [...keys]);
    await Promise.all(
      [1, 2, 1, 2, 2, 1, 3].map((key, place) =>
        loader.load(key).then(() => order.push(`${key} asked as number ${place}`)),
      ),
    );
    return order;
  };
  expect(await orderOf(Own as unknown as typeof Npm)).toEqual(await orderOf(Npm));
});

test('a schedule that calls back at once, twice, or throws keeps no caller waiting', async () => {
  const batches: (readonly number[])[] = [];
  const load = async (keys: readonly number[]): Promise<number[]> => {
    batches.push(keys);
    return [...keys];
  };
  const eager = new Own(load, {
    batchScheduleFn: (callback) => {
      callback();
      callback();
    },
  });
  expect(await eager.loadMany([1, 2])).toEqual([1, 2]);
  let broken = true;
  const unsure = new Own(load, {
    batchScheduleFn: (callback) => {
      if (broken) throw new Error('no schedule');
      queueMicrotask(callback);
    },
  });
  expect(() => unsure.load(3)).toThrow('no schedule');
  broken = false;
  expect(await unsure.loadMany([3, 4])).toEqual([3, 4]);
  expect(batches).toEqual([[1], [2], [3, 4]]);
});
