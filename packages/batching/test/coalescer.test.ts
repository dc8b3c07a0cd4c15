import { AsyncLocalStorage } from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';
import { createManualClock } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createCoalescer } from '../src/index.ts';
import { holdLoads, refuseUnhandledRejections, settleJobs } from './held-loads.ts';

const name = 'test';
refuseUnhandledRejections();

test('get() shares one load and one promise between equal keys', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name });
  const [first, second, other] = [coalescer.get('a'), coalescer.get('a'), coalescer.get('b')];
  expect(second).toBe(first);
  expect(calls.map(({ key }) => key)).toEqual(['a', 'b']);
  expect(calls[0]?.context.waiters).toBe(2);
  calls[0]?.resolve('A');
  calls[1]?.resolve('B');
  expect(await Promise.all([first, second, other])).toEqual(['A', 'A', 'B']);
  expect(coalescer.stats()).toMatchObject({ asked: 3, loaded: 2, joined: 1, inFlight: 0, kept: 0 });
});

test('get() calls the loader at once', () => {
  const { load, calls } = holdLoads<number>();
  void createCoalescer(load, { name }).get(1);
  expect(calls).toHaveLength(1);
});

test("get() keeps '1', 1, 1n, true, null and undefined apart, and NaN, '' and prototype names are keys like any other", async () => {
  const { load, calls } = holdLoads<unknown>();
  const coalescer = createCoalescer(load, { name });
  const keys = [
    '1',
    1,
    1n,
    true,
    null,
    undefined,
    '',
    Number.NaN,
    'constructor',
    '__proto__',
    'toString',
    Symbol('a'),
  ];
  for (const key of [...keys, ...keys]) void coalescer.get(key);
  expect(calls.map(({ key }) => key)).toEqual(keys);
  expect(coalescer.stats().joined).toBe(keys.length);
});

test('get() of two coalescers never meet', async () => {
  const one = createCoalescer(async () => 'one', { name });
  const two = createCoalescer(async () => 'two', { name });
  expect(await Promise.all([one.get('a'), two.get('a')])).toEqual(['one', 'two']);
});

test('get() rejects an object without option key, also when it was asked for before', async () => {
  const coalescer = createCoalescer(async (key: object) => key, { name });
  const key = {};
  for (let round = 0; round < 2; round++) {
    await expect(coalescer.get(key)).rejects.toThrow(
      new TypeError('Cannot get from `test`: a key that is an object needs option `key`'),
    );
  }
  const wrong = createCoalescer(async (id: object) => id, { name, key: (id) => id as never });
  await expect(wrong.get(key)).rejects.toThrow(
    'option `key` must return a primitive, got an object',
  );
});

test('get() gives the loader the key itself, not what it is recognised by', async () => {
  const coalescer = createCoalescer(
    async ({ id, page }: { id: number; page: number }) => `${id}/${page}`,
    {
      name,
      key: ({ id, page }) => `${id} ${page}`,
    },
  );
  expect(
    await Promise.all([coalescer.get({ id: 1, page: 2 }), coalescer.get({ id: 1, page: 2 })]),
  ).toEqual(['1/2', '1/2']);
  expect(coalescer.stats()).toMatchObject({ loaded: 1, joined: 1 });
});

test('a loader that throws at once rejects its callers, and the next call loads anew', async () => {
  let calls = 0;
  const coalescer = createCoalescer(
    (): string => {
      calls += 1;
      if (calls === 1) throw new Error('at once');
      return 'well';
    },
    { name },
  );
  await expect(coalescer.get('a')).rejects.toThrow('at once');
  expect(await coalescer.get('a')).toBe('well');
  expect(coalescer.stats()).toMatchObject({ loaded: 2, failed: 1, inFlight: 0 });
});

test('a failure reaches every waiter, with one load, and a retry inside catch loads anew', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name });
  const waiters = Array.from({ length: 5 }, () =>
    coalescer.get('a').catch(() => coalescer.get('a')),
  );
  calls[0]?.reject(new Error('down'));
  await settleJobs();
  expect(calls).toHaveLength(2);
  calls[1]?.resolve('up');
  expect(await Promise.all(waiters)).toEqual(Array(5).fill('up'));
});

test('thenables and plain values are values', async () => {
  const thenable = createCoalescer(
    (): PromiseLike<string> => {
      const value = Promise.resolve('then');
      // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
      return { then: (done, failed) => value.then(done, failed) };
    },
    { name },
  );
  expect(await thenable.get(1)).toBe('then');
  expect(await createCoalescer(() => 7, { name }).get(1)).toBe(7);
});

test('a loader that asks for its own key is told, not hung', async () => {
  const coalescer = createCoalescer((key: string): Promise<string> => coalescer.get(key), { name });
  await expect(coalescer.get('a')).rejects.toMatchObject({
    code: 'ERR_REENTRANT',
    data: { name, key: 'a' },
  });
  const other = createCoalescer(
    (key: number): Promise<number> | number => (key > 0 ? other.get(key - 1) : 0),
    { name },
  );
  expect(await other.get(5)).toBe(0);
});

test('share: the same value, one frozen for all, or one of its own for each', async () => {
  const make = async () => ({ list: [1, { deep: 2 }], bytes: new Uint8Array(2), at: new Date(0) });
  const values = async (share: 'reference' | 'freeze' | typeof structuredClone) => {
    const coalescer = createCoalescer(make, { name, share });
    return Promise.all([coalescer.get('a'), coalescer.get('a')]);
  };
  const [same, too] = await values('reference');
  expect(too).toBe(same);
  const [frozen, alike] = await values('freeze');
  expect(alike).toBe(frozen);
  expect(Object.isFrozen(frozen.list[1])).toBe(true);
  expect(() => frozen.list.push(3)).toThrow(TypeError);
  const [mine, yours] = await values(structuredClone);
  expect(yours).not.toBe(mine);
  expect(yours).toEqual(mine);
  const counted = createCoalescer(async () => 1, { name, share: (value) => value + 1 });
  expect(await counted.get('a')).toBe(2);
});

test('a value that cannot be cloned rejects its callers, not the process', async () => {
  const coalescer = createCoalescer(async () => () => 1, { name, share: structuredClone });
  await expect(coalescer.get('a')).rejects.toThrow('could not be cloned');
});

test("context: 'detached' hides every caller's AsyncLocalStorage, 'caller' shows the first one's", async () => {
  const tenant = new AsyncLocalStorage<string>();
  const seen = async (context: 'detached' | 'caller') => {
    const coalescer = createCoalescer(
      async () => {
        await settleJobs();
        return tenant.getStore() ?? 'none';
      },
      { name, context },
    );
    return tenant.run('one', () => coalescer.get('a'));
  };
  expect(await seen('detached')).toBe('none');
  expect(await seen('caller')).toBe('one');
  const coalescer = createCoalescer(async () => 'A', { name });
  expect(await tenant.run('two', () => coalescer.get('a').then(() => tenant.getStore()))).toBe(
    'two',
  );
});

test('has() is true while a load has room for one more caller, and starts none', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name, maxWaitersPerKey: 2 });
  expect(coalescer.has('a')).toBe(false);
  const first = coalescer.get('a');
  expect([coalescer.has('a'), coalescer.has('b')]).toEqual([true, false]);
  const second = coalescer.get('a');
  expect(coalescer.has('a')).toBe(false);
  calls[0]?.resolve('A');
  await Promise.all([first, second]);
  expect(coalescer.has('a')).toBe(false);
  void coalescer.get('b');
  await coalescer.close();
  expect(coalescer.has('b')).toBe(false);
  expect(calls).toHaveLength(2);
  expect(() => createCoalescer(load as never, { name }).has({})).toThrow(
    'a key that is an object needs option `key`',
  );
});

test('has() is false inside the first step of the load itself, which could not be joined', async () => {
  const inside: boolean[] = [];
  const coalescer = createCoalescer((key: string): number => inside.push(coalescer.has(key)), {
    name,
  });
  await coalescer.get('a');
  expect(inside).toEqual([false]);
});

test('diagnostics: each load is published as it settles', async () => {
  const seen: unknown[] = [];
  const listen = (message: unknown): void => {
    seen.push(message);
  };
  diagnostics.subscribe('ticketing:batching:load', listen);
  const clock = createManualClock();
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name, clock });
  const both = Promise.allSettled([coalescer.get('a'), coalescer.get('b')]);
  clock.advance(5);
  calls[0]?.resolve('A');
  const error = new Error('down');
  calls[1]?.reject(error);
  await both;
  diagnostics.unsubscribe('ticketing:batching:load', listen);
  expect(seen).toEqual([
    { name, key: 'a', ms: 5 },
    { name, key: 'b', ms: 5, error },
  ]);
});
