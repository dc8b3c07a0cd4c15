import { createManualClock } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createCoalescer, type LoadContext } from '../src/index.ts';
import { holdLoads, refuseUnhandledRejections, stateOf } from './held-loads.ts';

const name = 'test';
refuseUnhandledRejections();

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

test('forget() with ifUnshared spares a load that two wait for', () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name });
  void coalescer.get('a');
  expect(coalescer.forget('a', { ifUnshared: true })).toBe(true);
  void coalescer.get('a');
  void coalescer.get('a');
  expect(coalescer.forget('a', { ifUnshared: true })).toBe(false);
  expect(calls).toHaveLength(2);
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

/** A loader that gives up when its signal aborts. */
const heeding = (_key: number, { signal }: LoadContext<number>) =>
  new Promise<string>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

test('close() aborts the loads that no call joins: forgotten, replaced by fresh, above a bound', async () => {
  const coalescer = createCoalescer(heeding, { name, maxKeys: 3, overflow: 'bypass' });
  const waiting = [coalescer.get(1)];
  coalescer.forget(1);
  waiting.push(coalescer.get(1), coalescer.get(1, { fresh: true }), coalescer.get(2));
  expect(coalescer.stats()).toMatchObject({ inFlight: 4, unshared: 3, overflowed: 1 });
  const closed = coalescer.close();
  expect(coalescer.stats()).toMatchObject({ inFlight: 0, unshared: 0 });
  await closed;
  const error = { code: 'ERR_CLOSED' };
  expect(await Promise.all(waiting.map(stateOf))).toMatchObject(waiting.map(() => ({ error })));
  expect(coalescer.stats()).toMatchObject({ inFlight: 0, unshared: 0 });
});

test('close() aborts the loads that clear() cut off', async () => {
  const coalescer = createCoalescer(heeding, { name });
  const waiting = [coalescer.get(1), coalescer.get(2)];
  coalescer.clear();
  expect(coalescer.peek(1)).toBeUndefined();
  expect(coalescer.stats()).toMatchObject({ inFlight: 2, unshared: 2 });
  await coalescer.close();
  const error = { code: 'ERR_CLOSED' };
  expect(await Promise.all(waiting.map(stateOf))).toMatchObject(waiting.map(() => ({ error })));
});

test('loads that no call joins are counted until they settle, or until their last caller has left', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name, maxWaitersPerKey: 1, overflow: 'bypass' });
  const controller = new AbortController();
  const { signal } = controller;
  const forgotten = coalescer.get('a');
  const left = stateOf(coalescer.get('b', { signal }));
  coalescer.clear();
  const bypasses = [coalescer.get('c'), coalescer.get('c'), coalescer.get('c', { signal })];
  void bypasses[2]?.catch(() => {});
  expect(coalescer.stats()).toMatchObject({ inFlight: 5, unshared: 4 });
  controller.abort('gone');
  expect(await left).toEqual({ error: 'gone' });
  expect(calls.map(({ context }) => context.signal.aborted)).toEqual([
    false,
    true,
    false,
    false,
    true,
  ]);
  expect(coalescer.stats()).toMatchObject({ inFlight: 3, unshared: 2 });
  for (const { resolve } of calls) resolve('done');
  await Promise.all([forgotten, bypasses[0], bypasses[1]]);
  expect(coalescer.stats()).toMatchObject({ inFlight: 0, unshared: 0 });
});

test('maxKeys bounds the loads of one key, also when each call is fresh or the key is forgotten', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name, maxKeys: 3 });
  const first = coalescer.get('a');
  void coalescer.get('a', { fresh: true });
  coalescer.forget('a');
  void coalescer.get('a');
  const limit = { code: 'ERR_TOO_MANY_KEYS', data: { limit: 3, key: 'a' } };
  await expect(coalescer.get('a', { fresh: true })).rejects.toMatchObject(limit);
  coalescer.forget('a');
  await expect(coalescer.get('a')).rejects.toMatchObject(limit);
  expect(coalescer.stats()).toMatchObject({ loaded: 3, overflowed: 2, inFlight: 3 });
  calls[0]?.resolve('first');
  expect(await first).toBe('first');
  void coalescer.get('a', { fresh: true });
  expect(calls).toHaveLength(4);
});

test('a refused fresh call leaves the load in flight as it is, and a bypass is not joined', async () => {
  const { load, calls } = holdLoads<string>();
  const strict = createCoalescer(load, { name, maxKeys: 1 });
  const first = strict.get('a');
  await expect(strict.get('a', { fresh: true })).rejects.toMatchObject({
    code: 'ERR_TOO_MANY_KEYS',
    message: 'Coalescer `test` is full: `maxKeys` (1) loads are in flight',
  });
  expect(strict.get('a')).toBe(first);
  calls[0]?.resolve('old');
  await first;
  const lenient = createCoalescer(load, { name, maxKeys: 1, overflow: 'bypass' });
  const [old, fresh] = [lenient.get('a'), lenient.get('a', { fresh: true })];
  expect(lenient.get('a')).toBe(old);
  calls[2]?.resolve('new');
  expect(await fresh).toBe('new');
  calls[1]?.resolve('old');
  expect(await old).toBe('old');
  expect(calls).toHaveLength(3);
});

test('loads above a bound do not push the keys after them above it', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name, maxKeys: 1, overflow: 'bypass' });
  const first = coalescer.get('a');
  void coalescer.get('b');
  calls[0]?.resolve('A');
  await first;
  const [one, same] = [coalescer.get('c'), coalescer.get('c')];
  expect(same).toBe(one);
  expect(coalescer.stats()).toMatchObject({ overflowed: 1, loaded: 3, unshared: 1 });
});

test('a loader that asks for its own key afresh in its first step is told, not called again', async () => {
  let calls = 0;
  const coalescer = createCoalescer(
    (key: string): Promise<string> => {
      calls += 1;
      return coalescer.get(key, { fresh: true });
    },
    { name },
  );
  await expect(coalescer.get('a')).rejects.toMatchObject({ code: 'ERR_REENTRANT' });
  expect(calls).toBe(1);
});

test('clear() forgets what is kept as well as what is in flight', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name, ttlMs: 1000, clock: createManualClock() });
  const kept = coalescer.get('a');
  calls[0]?.resolve('old');
  await kept;
  expect(coalescer.stats()).toMatchObject({ kept: 1 });
  coalescer.clear();
  expect(coalescer.peek('a')).toBeUndefined();
  expect(coalescer.stats()).toMatchObject({ kept: 0 });
  const again = coalescer.get('a');
  calls[1]?.resolve('new');
  expect(await again).toBe('new');
});
