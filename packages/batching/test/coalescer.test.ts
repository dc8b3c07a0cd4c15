import { AsyncLocalStorage } from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCoalescer } from '../src/index.ts';
import { holdLoads, settleJobs, stateOf } from './held-loads.ts';
import { createManualClock } from './manual-clock.ts';

const name = 'test';
const rejections: unknown[] = [];
const remember = (reason: unknown): void => {
  rejections.push(reason);
};
beforeEach(() => {
  rejections.length = 0;
  process.on('unhandledRejection', remember);
});
afterEach(async () => {
  await settleJobs();
  process.off('unhandledRejection', remember);
  expect(rejections).toEqual([]);
});

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
      new TypeError(
        'Cannot get from test: a primitive key expected, got an object, and no option key',
      ),
    );
  }
  const wrong = createCoalescer(async (id: object) => id, { name, key: (id) => id as never });
  await expect(wrong.get(key)).rejects.toThrow(
    'a primitive key expected, got an object of option key',
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

test('the first caller aborts: it alone leaves', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name });
  const controller = new AbortController();
  const first = coalescer.get('a', { signal: controller.signal });
  const second = coalescer.get('a', { signal: new AbortController().signal });
  const reason = new Error('gone');
  controller.abort(reason);
  await expect(first).rejects.toBe(reason);
  expect(calls[0]?.context.signal.aborted).toBe(false);
  expect(calls[0]?.context.waiters).toBe(1);
  calls[0]?.resolve('A');
  expect(await second).toBe('A');
  expect(coalescer.stats()).toMatchObject({ left: 1, aborted: 0 });
});

test('the last caller leaves: the load is aborted, and nobody joins a dying load', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name });
  const controllers = [new AbortController(), new AbortController()];
  const left = controllers.map(({ signal }) => stateOf(coalescer.get('a', { signal })));
  for (const controller of controllers) controller.abort('gone');
  expect(await Promise.all(left)).toEqual([{ error: 'gone' }, { error: 'gone' }]);
  expect(calls[0]?.context.signal.reason).toMatchObject({ code: 'ERR_ABORTED' });
  const next = coalescer.get('a');
  expect(calls).toHaveLength(2);
  calls[0]?.reject(new Error('late'));
  calls[1]?.resolve('A');
  expect(await next).toBe('A');
  expect(coalescer.stats()).toMatchObject({ left: 2, aborted: 1, loaded: 2 });
});

test('a caller without signal or timeout keeps the load alive', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name });
  const controller = new AbortController();
  const left = stateOf(coalescer.get('a', { signal: controller.signal }));
  const stays = coalescer.get('a');
  controller.abort('gone');
  expect(await left).toEqual({ error: 'gone' });
  expect(calls[0]?.context.signal.aborted).toBe(false);
  calls[0]?.resolve('A');
  expect(await stays).toBe('A');
});

test("cancel 'never': the load goes on and can be joined when all have left", async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name, cancel: 'never' });
  const controller = new AbortController();
  const left = stateOf(coalescer.get('a', { signal: controller.signal }));
  controller.abort('gone');
  await left;
  expect(calls[0]?.context.signal.aborted).toBe(false);
  const joined = coalescer.get('a');
  calls[0]?.resolve('A');
  expect(await joined).toBe('A');
  expect(calls).toHaveLength(1);
});

test('a signal that has aborted starts nothing', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name });
  await expect(coalescer.get('a', { signal: AbortSignal.abort('no') })).rejects.toBe('no');
  expect(calls).toHaveLength(0);
});

test('timeoutMs ends one caller, loadTimeoutMs the load', async () => {
  const clock = createManualClock();
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name, clock, loadTimeoutMs: 100 });
  const hasty = stateOf(coalescer.get('a', { timeoutMs: 40 }));
  const patient = stateOf(coalescer.get('a'));
  clock.advance(40);
  expect(await hasty).toMatchObject({ error: { code: 'ERR_CALLER_TIMEOUT' } });
  clock.advance(60);
  expect(await patient).toMatchObject({
    error: { code: 'ERR_LOAD_TIMEOUT', data: { limit: 100, key: 'a' } },
  });
  expect(calls[0]?.context.signal.aborted).toBe(true);
  expect(coalescer.stats()).toMatchObject({ inFlight: 0, aborted: 1, failed: 1, left: 1 });
  void coalescer.get('a').catch(() => {});
  expect(calls).toHaveLength(2);
  calls[1]?.resolve('A');
  await settleJobs();
  expect(clock.pending).toBe(0);
});

test('no timer is left when all callers have left before loadTimeoutMs', async () => {
  const clock = createManualClock();
  const coalescer = createCoalescer(holdLoads<string>().load, { name, clock, loadTimeoutMs: 100 });
  const controller = new AbortController();
  const left = stateOf(coalescer.get('a', { signal: controller.signal, timeoutMs: 50 }));
  controller.abort('gone');
  await left;
  expect(clock.pending).toBe(0);
});

test("maxKeys and maxWaitersPerKey: 'reject' says so, 'bypass' loads apart", async () => {
  const { load, calls } = holdLoads<string>();
  const strict = createCoalescer(load, { name, maxKeys: 1, maxWaitersPerKey: 2 });
  void strict.get('a');
  void strict.get('a');
  await expect(strict.get('a')).rejects.toMatchObject({
    code: 'ERR_TOO_MANY_WAITERS',
    data: { limit: 2 },
  });
  await expect(strict.get('b')).rejects.toMatchObject({
    code: 'ERR_TOO_MANY_KEYS',
    data: { limit: 1, key: 'b' },
  });
  expect(strict.stats()).toMatchObject({ overflowed: 2, loaded: 1 });
  const lenient = createCoalescer(load, {
    name,
    maxKeys: 1,
    maxWaitersPerKey: 1,
    overflow: 'bypass',
    ttlMs: 9,
  });
  const answers = [lenient.get('a'), lenient.get('a'), lenient.get('b')];
  expect(lenient.stats()).toMatchObject({ overflowed: 2, loaded: 3, inFlight: 1 });
  calls.forEach(({ resolve }, index) => {
    resolve(String(index));
  });
  expect(new Set(await Promise.all(answers)).size).toBe(3);
  expect(lenient.stats()).toMatchObject({ inFlight: 0, kept: 1 });
});

test('share: the same value, one frozen for all, or one of its own for each', async () => {
  const make = async () => ({ list: [1, { deep: 2 }], bytes: new Uint8Array(2), at: new Date(0) });
  const values = async (share: 'reference' | 'freeze' | 'clone') => {
    const coalescer = createCoalescer(make, { name, share });
    return Promise.all([coalescer.get('a'), coalescer.get('a')]);
  };
  const [same, too] = await values('reference');
  expect(too).toBe(same);
  const [frozen, alike] = await values('freeze');
  expect(alike).toBe(frozen);
  expect(Object.isFrozen(frozen.list[1])).toBe(true);
  expect(() => frozen.list.push(3)).toThrow(TypeError);
  const [mine, yours] = await values('clone');
  expect(yours).not.toBe(mine);
  expect(yours).toEqual(mine);
  const counted = createCoalescer(async () => 1, { name, share: (value) => value + 1 });
  expect(await counted.get('a')).toBe(2);
});

test('a value that cannot be cloned rejects its callers, not the process', async () => {
  const coalescer = createCoalescer(async () => () => 1, { name, share: 'clone' });
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

test('forget() mid-flight: a new load starts, and the late finisher neither evicts nor overwrites it', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name, ttlMs: 1000, clock: createManualClock() });
  const before = coalescer.get('a');
  expect(coalescer.forget('a')).toBe(true);
  const after = coalescer.get('a');
  calls[0]?.resolve('old');
  expect(await before).toBe('old');
  const third = coalescer.get('a');
  expect(calls).toHaveLength(2);
  calls[1]?.resolve('new');
  expect(await Promise.all([after, third])).toEqual(['new', 'new']);
  expect(await coalescer.get('a')).toBe('new');
  expect(calls).toHaveLength(2);
  expect(coalescer.forget('none')).toBe(false);
});

test('a value loaded before an invalidation is not written back after it', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name, ttlMs: 1000, clock: createManualClock() });
  const before = coalescer.get('a');
  coalescer.clear();
  calls[0]?.resolve('old');
  await before;
  expect(coalescer.peek('a')).toBeUndefined();
  expect(coalescer.stats()).toMatchObject({ kept: 0 });
});

test('forgetUnshared() spares a load that two wait for', () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name });
  void coalescer.get('a');
  expect(coalescer.forgetUnshared('a')).toBe(true);
  void coalescer.get('a');
  void coalescer.get('a');
  expect(coalescer.forgetUnshared('a')).toBe(false);
  expect(calls).toHaveLength(2);
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
    'a primitive key expected',
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

test('fresh: true starts a load that later calls join, and the older one is not kept', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name, ttlMs: 1000, clock: createManualClock() });
  const old = coalescer.get('a');
  const fresh = coalescer.get('a', { fresh: true });
  const joined = coalescer.get('a');
  expect(calls).toHaveLength(2);
  calls[1]?.resolve('new');
  expect(await Promise.all([fresh, joined])).toEqual(['new', 'new']);
  calls[0]?.resolve('old');
  expect(await old).toBe('old');
  expect(await coalescer.get('a')).toBe('new');
});

test('close() refuses calls, aborts loads, leaves nothing, twice is once', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name, ttlMs: 1000 });
  const waiting = coalescer.get('a');
  await coalescer.close();
  await coalescer.close();
  expect(calls[0]?.context.signal.reason).toMatchObject({ code: 'ERR_CLOSED' });
  await expect(coalescer.get('b')).rejects.toMatchObject({ code: 'ERR_CLOSED' });
  calls[0]?.resolve('late');
  expect(await waiting).toBe('late');
  expect(coalescer.stats()).toMatchObject({ inFlight: 0, kept: 0 });
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

test('100,000 keys leave nothing behind, whether they succeed or fail', async () => {
  const coalescer = createCoalescer(async (key: number) => (key % 2 ? key : Promise.reject(key)), {
    name,
    maxKeys: 200_000,
  });
  await Promise.allSettled(Array.from({ length: 100_000 }, (_, key) => coalescer.get(key)));
  expect(coalescer.stats()).toMatchObject({
    loaded: 100_000,
    failed: 50_000,
    inFlight: 0,
    kept: 0,
  });
});

test('100,000 calls on one long-lived signal leave no listener', async () => {
  const coalescer = createCoalescer(async (key: number) => key, { name, maxKeys: 200_000 });
  const { signal } = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...call: Parameters<AbortSignal['addEventListener']>) => {
    listeners += 1;
    addEventListener.apply(signal, call);
  };
  signal.removeEventListener = (...call: Parameters<AbortSignal['removeEventListener']>) => {
    listeners -= 1;
    removeEventListener.apply(signal, call);
  };
  for (let batch = 0; batch < 10; batch++) {
    await Promise.all(Array.from({ length: 10_000 }, (_, key) => coalescer.get(key, { signal })));
  }
  expect(listeners).toBe(0);
});
