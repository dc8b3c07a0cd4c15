import { createManualClock } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { refuseUnhandledRejections, settleJobs } from './held-loads.ts';
import { called, machineOfEachTest } from './shared-machine.ts';

refuseUnhandledRejections();

const machine = machineOfEachTest();
const { createProcess, pass } = machine;

test('one process loads a key, and all get its value', async () => {
  const processes = [createProcess(), createProcess(), createProcess()];
  const answers = processes.map(({ users }) => users.get('ann'));
  await settleJobs();
  expect(processes.map(called)).toEqual([1, 0, 0]);
  processes[0]?.calls[0]?.resolve('Ann');
  expect(await Promise.all(answers)).toEqual(['Ann', 'Ann', 'Ann']);
  expect(processes.map(({ load }) => load.stats().followed)).toEqual([0, 1, 1]);
  expect(processes[0]?.coordinator.stats()).toMatchObject({ finished: 1, held: 0, waiting: 0 });
  expect(machine.clock.pending).toBe(0);
});

test('without ttlMs a value is for its waiters: a later call loads anew', async () => {
  const [one, another] = [createProcess(), createProcess()];
  const first = one.users.get('ann');
  await settleJobs();
  one.calls[0]?.resolve('Ann');
  expect(await first).toBe('Ann');
  const second = another.users.get('ann');
  await settleJobs();
  another.calls[0]?.resolve('Ann 2');
  expect(await second).toBe('Ann 2');
});

test('with ttlMs a value is kept for all processes, and not longer', async () => {
  const [one, another] = [
    createProcess({ ttlMs: 5000 }),
    createProcess({ ttlMs: 5000, refresh: 0 }),
  ];
  const first = one.users.get('ann');
  await settleJobs();
  one.calls[0]?.resolve('Ann');
  await first;
  await settleJobs();
  machine.clock.advance(4999);
  expect(await another.users.get('ann')).toBe('Ann');
  expect(another.load.stats()).toMatchObject({ kept: 1, led: 0 });
  machine.clock.advance(2);
  const later = another.users.get('ann');
  await settleJobs();
  expect(called(another)).toBe(1);
  another.calls[0]?.resolve('Ann 2');
  expect(await later).toBe('Ann 2');
});

test('a leader that dies is succeeded by one waiter when its lease runs out', async () => {
  const dead = createManualClock();
  const leader = createProcess({ ownClock: dead });
  const others = [createProcess(), createProcess()];
  const lost = leader.users.get('ann');
  await settleJobs();
  const answers = others.map(({ users }) => users.get('ann'));
  await settleJobs();
  await pass(1999);
  expect(others.map(called)).toEqual([0, 0]);
  await pass(40);
  expect(others.map(called).sort()).toEqual([0, 1]);
  for (const { calls } of others) calls[0]?.resolve('Ann');
  expect(await Promise.all(answers)).toEqual(['Ann', 'Ann']);
  // It comes back: what it loaded is its own callers' alone.
  leader.calls[0]?.resolve('old');
  expect(await lost).toBe('old');
  await settleJobs();
  expect(leader.coordinator.stats()).toMatchObject({ refused: 1, finished: 0 });
});

test('a leader that lives renews its lease', async () => {
  const [leader, waiter] = [createProcess(), createProcess()];
  const answers = [leader.users.get('ann')];
  await settleJobs();
  answers.push(waiter.users.get('ann'));
  await pass(10_000);
  expect(called(waiter)).toBe(0);
  leader.calls[0]?.resolve('Ann');
  expect(await Promise.all(answers)).toEqual(['Ann', 'Ann']);
  expect(leader.coordinator.stats().renewed).toBeGreaterThan(10);
});

test('a failure goes to its waiters, with code, fields and cause, and is not kept', async () => {
  const [leader, waiter] = [createProcess(), createProcess()];
  const first = leader.users.get('ann');
  await settleJobs();
  const second = waiter.users.get('ann');
  await settleJobs();
  const cause = new TypeError('no such host');
  const error = Object.assign(new RangeError('no answer', { cause }), { code: 'NETWORK', at: 7 });
  leader.calls[0]?.reject(error);
  await expect(first).rejects.toBe(error);
  const shared = await second.catch((reason: unknown) => reason);
  expect(shared).toMatchObject({
    name: 'RangeError',
    message: 'no answer',
    code: 'NETWORK',
    at: 7,
  });
  expect(shared).toBeInstanceOf(Error);
  expect(shared).toMatchObject({ cause: { name: 'TypeError', message: 'no such host' } });
  const later = waiter.users.get('ann');
  await settleJobs();
  waiter.calls[0]?.resolve('Ann');
  expect(await later).toBe('Ann');
});

test('with errorTtlMs a failure is kept for all', async () => {
  const [leader, other] = [
    createProcess({ errorTtlMs: 1000 }),
    createProcess({ errorTtlMs: 1000 }),
  ];
  const first = leader.users.get('ann');
  await settleJobs();
  leader.calls[0]?.reject('no');
  await expect(first).rejects.toBe('no');
  await settleJobs();
  await expect(other.users.get('ann')).rejects.toBe('no');
  machine.clock.advance(1001);
  const later = other.users.get('ann');
  await settleJobs();
  other.calls[0]?.resolve('Ann');
  expect(await later).toBe('Ann');
});

test('the last caller of the leader leaves: the load goes on while another process waits', async () => {
  const [leader, waiter] = [createProcess(), createProcess()];
  const controller = new AbortController();
  const left = leader.users.get('ann', { signal: controller.signal });
  await settleJobs();
  const answer = waiter.users.get('ann');
  await settleJobs();
  controller.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  await pass(3000);
  expect(leader.calls[0]?.context.signal.aborted).toBe(false);
  leader.calls[0]?.resolve('Ann');
  expect(await answer).toBe('Ann');
  expect(called(waiter)).toBe(0);
});

/** A caller in each of two processes, of which the second waits for the first. */
async function callersOfTwo() {
  const [leader, waiter] = [createProcess(), createProcess()];
  const controllers = [new AbortController(), new AbortController()] as const;
  const lefts = [leader.users.get('ann', { signal: controllers[0].signal })];
  await settleJobs();
  lefts.push(waiter.users.get('ann', { signal: controllers[1].signal }));
  await settleJobs();
  return { leader, waiter, controllers, lefts };
}

test('the last caller of all leaves: the load is aborted, and the next one starts afresh', async () => {
  const { leader, waiter, controllers, lefts } = await callersOfTwo();
  for (const controller of controllers) controller.abort(new Error('left'));
  for (const left of lefts) await expect(left).rejects.toThrow('left');
  await pass(1500);
  const { signal } = leader.calls[0]?.context ?? {};
  expect(signal?.aborted).toBe(true);
  leader.calls[0]?.reject(signal?.reason);
  const next = waiter.users.get('ann');
  await settleJobs();
  expect(called(waiter)).toBe(1);
  waiter.calls[0]?.resolve('Ann');
  expect(await next).toBe('Ann');
  expect(leader.coordinator.stats()).toMatchObject({ held: 0, released: 1, finished: 0 });
});

test('a load that takes longer than loadTimeoutMs is ended, and a waiter of another process loads', async () => {
  const [leader, waiter] = [createProcess({ loadTimeoutMs: 500 }), createProcess()];
  const first = leader.users.get('ann');
  const failed = expect(first).rejects.toMatchObject({ code: 'ERR_LOAD_TIMEOUT' });
  await settleJobs();
  const second = waiter.users.get('ann');
  await settleJobs();
  await pass(525);
  await failed;
  expect(leader.calls[0]?.context.signal.aborted).toBe(true);
  expect(called(waiter)).toBe(1);
  waiter.calls[0]?.resolve('Ann');
  expect(await second).toBe('Ann');
  leader.calls[0]?.reject(new Error('aborted'));
  await settleJobs();
  expect(leader.coordinator.stats()).toMatchObject({ held: 0, finished: 0 });
});

test('a waiter whose signal aborts leaves nothing behind', async () => {
  const [leader, waiter] = [createProcess(), createProcess()];
  const first = leader.users.get('ann');
  await settleJobs();
  const controller = new AbortController();
  const second = waiter.users.get('ann', { signal: controller.signal });
  await settleJobs();
  controller.abort(new Error('left'));
  await expect(second).rejects.toThrow('left');
  await settleJobs();
  expect(waiter.coordinator.stats().waiting).toBe(0);
  expect(waiter.store.sent).toEqual(['claim', 'claim', 'leave']);
  leader.calls[0]?.resolve('Ann');
  expect(await first).toBe('Ann');
});

test('whenever the signal of a call aborts, its load is aborted, and nothing is held', async () => {
  const begun: number[] = [];
  for (let steps = 0; steps < 60; steps += 1) {
    const { load, calls, coordinator } = createProcess();
    const controller = new AbortController();
    const { signal } = controller;
    const key = `${steps}`;
    const answer = load(key, { key, signal, waiters: 1 });
    answer.catch(() => {});
    for (let step = 0; step < steps; step += 1) await undefined;
    controller.abort(new Error('left'));
    await settleJobs();
    if (calls.length > 0) begun.push(steps);
    expect(calls.map(({ context }) => context.signal.aborted)).toEqual(calls.map(() => true));
    expect(coordinator.stats()).toMatchObject({ held: 0, waiting: 0 });
    calls[0]?.reject(new Error('aborted'));
    await expect(answer).rejects.toThrow(calls.length > 0 ? 'aborted' : 'left');
  }
  expect(begun.length).toBeGreaterThan(0);
  expect(begun[0]).toBeGreaterThan(1);
});

test('a leader without callers looks for waiters of others three times per lease', async () => {
  const { leader, controllers, lefts } = await callersOfTwo();
  const looks = () => leader.store.sent.filter((command) => command === 'waiters').length;
  for (const left of lefts) left.catch(() => {});
  controllers[0].abort(new Error('left'));
  await settleJobs();
  expect(looks()).toBe(1);
  for (const [ms, count] of [
    [650, 1],
    [25, 2],
    [650, 2],
    [25, 3],
  ] as const) {
    await pass(ms);
    expect(looks()).toBe(count);
  }
  controllers[1].abort(new Error('left'));
  await settleJobs();
  await pass(625);
  expect(leader.calls[0]?.context.signal.aborted).toBe(false);
  await pass(50);
  expect(leader.calls[0]?.context.signal.aborted).toBe(true);
  expect(looks()).toBe(4);
  leader.calls[0]?.reject(new Error('aborted'));
  await settleJobs();
  await pass(2000);
  expect(looks()).toBe(4);
});

test('a leader whose lease is lost stops loading, and its callers get what the successor loads', async () => {
  const [one, another] = [createProcess(), createProcess()];
  const first = one.users.get('ann');
  await settleJobs();
  await another.load.forget('ann');
  const second = another.users.get('ann');
  await settleJobs();
  await pass(700);
  const { signal } = one.calls[0]?.context ?? {};
  expect(signal?.reason).toMatchObject({ code: 'ERR_LEASE_LOST' });
  one.calls[0]?.reject(signal?.reason);
  await settleJobs();
  another.calls[0]?.resolve('Ann');
  expect(await Promise.all([first, second])).toEqual(['Ann', 'Ann']);
  expect([called(one), one.load.stats().repeated]).toEqual([1, 1]);
});
