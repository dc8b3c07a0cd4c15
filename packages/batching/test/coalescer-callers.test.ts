import { createManualClock } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createCoalescer } from '../src/index.ts';
import { holdLoads, refuseUnhandledRejections, settleJobs, stateOf } from './held-loads.ts';

const name = 'test';
refuseUnhandledRejections();

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

test('the last caller leaves: the load is aborted, and no call joins it', async () => {
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

test("abortWhen 'never': the load goes on and can be joined when all have left", async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name, abortWhen: 'never' });
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

test("maxKeys and maxWaitersPerKey: 'reject' refuses a call above them, 'bypass' loads apart", async () => {
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
  expect(lenient.stats()).toMatchObject({ overflowed: 2, loaded: 3, inFlight: 3, unshared: 2 });
  calls.forEach(({ resolve }, index) => {
    resolve(String(index));
  });
  expect(new Set(await Promise.all(answers)).size).toBe(3);
  expect(lenient.stats()).toMatchObject({ inFlight: 0, kept: 1 });
});

/** A controller whose signal tells how many listeners were added to it, and how many it has. */
function watchedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const { addEventListener, removeEventListener } = signal;
  const listeners = { added: 0, now: 0 };
  signal.addEventListener = (...call: Parameters<AbortSignal['addEventListener']>) => {
    listeners.added += 1;
    listeners.now += 1;
    addEventListener.apply(signal, call);
  };
  signal.removeEventListener = (...call: Parameters<AbortSignal['removeEventListener']>) => {
    listeners.now -= 1;
    removeEventListener.apply(signal, call);
  };
  return { controller, signal, listeners };
}

test.each([
  ['different keys', (call: number) => call],
  ['one key', () => 0],
])('2,000 calls for %s on one signal add one listener, and all leave with it', async (_, keyOf) => {
  const { load, calls } = holdLoads<number>();
  const coalescer = createCoalescer(load, { name, maxKeys: 2000 });
  const { controller, signal, listeners } = watchedSignal();
  const waiting = Array.from({ length: 2000 }, (_, call) =>
    coalescer.get(keyOf(call), { signal, timeoutMs: 60_000 }),
  );
  expect(listeners).toEqual({ added: 1, now: 1 });
  controller.abort('gone');
  const outcomes = await Promise.allSettled(waiting);
  expect(new Set(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason))).toEqual(
    new Set(['gone']),
  );
  expect(calls.every(({ context }) => context.signal.aborted)).toBe(true);
  expect(coalescer.stats()).toMatchObject({ left: 2000, inFlight: 0 });
});

test('a signal is listened to while a call waits, and again for the calls after that', async () => {
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, { name });
  const { controller, signal, listeners } = watchedSignal();
  const both = Promise.all([coalescer.get('a', { signal }), coalescer.get('b', { signal })]);
  calls[0]?.resolve('A');
  await settleJobs();
  expect(listeners.now).toBe(1);
  calls[1]?.resolve('B');
  expect(await both).toEqual(['A', 'B']);
  expect(listeners.now).toBe(0);
  const third = stateOf(coalescer.get('c', { signal }));
  expect(listeners).toEqual({ added: 2, now: 1 });
  controller.abort('gone');
  expect(await third).toEqual({ error: 'gone' });
});

test('a caller that left by its timeout no longer listens to its signal', async () => {
  const clock = createManualClock();
  const coalescer = createCoalescer(holdLoads<string>().load, { name, clock });
  const { controller, signal, listeners } = watchedSignal();
  const hasty = stateOf(coalescer.get('a', { signal, timeoutMs: 10 }));
  clock.advance(10);
  expect(await hasty).toMatchObject({ error: { code: 'ERR_CALLER_TIMEOUT' } });
  expect(listeners.now).toBe(0);
  controller.abort('late');
  expect(coalescer.stats()).toMatchObject({ left: 1, aborted: 1 });
});
