import { type BatchCache, type BatcherOptions, createBatcher } from '@ticketing/batching';
import { expect, test } from 'vitest';

/** A batcher that tells how often each key was loaded; keys above 100 fail. */
function counting(options: Partial<BatcherOptions<number, string>> = {}) {
  const loads = new Map<number, number>();
  const batcher = createBatcher<number, string>(
    async (keys) =>
      keys.map((key) => {
        const count = (loads.get(key) ?? 0) + 1;
        loads.set(key, count);
        return key > 100 ? new Error(`${key} failed ${count}`) : `${key} load ${count}`;
      }),
    { name: 'stops', cache: true, ...options },
  );
  return { batcher, loads };
}

test('without cache nothing is kept', async () => {
  const { batcher } = counting({ cache: false });
  await batcher.load(1);
  expect(batcher.prime(1, 'primed')).toBe(false);
  expect(batcher.forget(1)).toBe(false);
  batcher.clear();
  expect(await batcher.load(1)).toBe('1 load 2');
});

test('cache keeps what was loaded until it is forgotten or cleared', async () => {
  const { batcher } = counting();
  const first = batcher.load(1);
  await first;
  expect(batcher.load(1)).toBe(first);
  await batcher.load(2);
  expect(batcher.stats()).toMatchObject({ asked: 3, hits: 1, loaded: 2, joined: 0 });
  expect(batcher.forget(1)).toBe(true);
  expect(batcher.forget(1)).toBe(false);
  expect(await batcher.load(1)).toBe('1 load 2');
  batcher.clear();
  expect(await Promise.all([batcher.load(1), batcher.load(2)])).toEqual(['1 load 3', '2 load 2']);
});

test('a key in flight is not loaded twice', async () => {
  const { batcher } = counting({ schedule: (dispatch) => dispatch() });
  const first = batcher.load(1);
  expect(batcher.load(1)).toBe(first);
  expect(await first).toBe('1 load 1');
});

test('a failed load is not kept, not even while its callers learn of it', async () => {
  const { batcher } = counting();
  const again = batcher.load(101).catch(() => batcher.load(101));
  const kept = batcher.load(1);
  await expect(again).rejects.toThrow('101 failed 2');
  await expect(batcher.load(101)).rejects.toThrow('101 failed 3');
  expect(batcher.load(1)).toBe(kept);
});

test('a failed batch keeps nothing', async () => {
  let broken = true;
  const batcher = createBatcher<number, number>(
    async (keys) => {
      if (broken) throw new Error('down');
      return [...keys];
    },
    { name: 'stops', cache: true },
  );
  const again = batcher.load(1).catch(() => {
    broken = false;
    return batcher.load(1);
  });
  expect(await again).toBe(1);
});

test('a late failure does not take away what came after it', async () => {
  const ends: ((answer: unknown[]) => void)[] = [];
  const batcher = createBatcher<number, unknown>(
    () => new Promise((resolve) => ends.push(resolve)),
    { name: 'stops', cache: true, schedule: (dispatch) => dispatch() },
  );
  const first = batcher.load(1);
  batcher.forget(1);
  const second = batcher.load(1);
  ends[1]?.(['new']);
  expect(await second).toBe('new');
  ends[0]?.([new Error('old')]);
  await expect(first).rejects.toThrow('old');
  expect(batcher.load(1)).toBe(second);
});

test('a key forgotten before its batch goes is loaded once, and kept', async () => {
  const { batcher, loads } = counting();
  const first = batcher.load(1);
  batcher.forget(1);
  expect(batcher.load(1)).toBe(first);
  await first;
  expect(batcher.load(1)).toBe(first);
  expect(loads.get(1)).toBe(1);
});

test('prime() keeps a value or an Error, unless the key is known', async () => {
  const { batcher } = counting();
  expect(batcher.prime(1, 'primed')).toBe(true);
  expect(batcher.prime(1, 'again')).toBe(false);
  expect(batcher.prime(2, new Error('primed'))).toBe(true);
  expect(batcher.prime(3, new Error('never asked for'))).toBe(true);
  expect(await batcher.load(1)).toBe('primed');
  await expect(batcher.load(2)).rejects.toThrow('primed');
  await batcher.close();
  expect(batcher.prime(4, 'late')).toBe(false);
});

test('a cache of one’s own is used, by the value of option key, and outlives the batcher', async () => {
  const cache = new Map<unknown, Promise<string>>();
  const batcher = createBatcher<{ id: number }, string>(
    async (stops) => stops.map(({ id }) => (id > 100 ? new Error('no') : `stop ${id}`)),
    { name: 'stops', key: ({ id }) => id, cache, distinct: true },
  );
  await batcher.loadMany([{ id: 1 }, { id: 101 }, { id: 2 }]);
  expect([...cache.keys()]).toEqual([1, 2]);
  expect(batcher.load({ id: 1 })).toBe(cache.get(1));
  await batcher.close();
  expect(cache.size).toBe(2);
});

test('a cache that throws rejects the call, and keeps no other call waiting', async () => {
  let broken: string | undefined;
  const guard = <T>(name: string, value: T): T => {
    if (name === broken) throw new Error(`no ${name}`);
    return value;
  };
  const map = new Map<unknown, Promise<string>>();
  const cache: BatchCache<string> = {
    get: (key) => guard('get', map.get(key)),
    set: (key, value) => guard('set', map.set(key, value)),
    delete: (key) => guard('delete', map.delete(key)),
    clear: () => map.clear(),
  };
  const { batcher } = counting({ cache });
  const failing = batcher.load(101);
  const fine = batcher.load(1);
  broken = 'set';
  await expect(batcher.load(2)).rejects.toThrow('no set');
  broken = 'delete';
  await expect(failing).rejects.toThrow('101 failed 1');
  expect(await fine).toBe('1 load 1');
  broken = 'get';
  await expect(batcher.load(1)).rejects.toThrow('no get');
});

test('close() takes what was not sent out of a cache that the caller owns, and leaves what is known', async () => {
  const cache = new Map<unknown, Promise<string>>();
  const { batcher } = counting({ cache });
  await batcher.load(1);
  const unsent = batcher.load(2);
  expect([...cache.keys()]).toEqual([1, 2]);
  await batcher.close();
  await expect(unsent).rejects.toMatchObject({ code: 'ERR_CLOSED' });
  expect([...cache.keys()]).toEqual([1]);
});
