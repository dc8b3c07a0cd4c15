import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createManualClock } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { type HeldLoad, refuseUnhandledRejections, settleJobs, stateOf } from './held-loads.ts';
import { called, machineOfEachTest, type Process } from './shared-machine.ts';

refuseUnhandledRejections();

const machine = machineOfEachTest();
const { createProcess, pass } = machine;

/** Three loads whose claims fail: the circuit opens. */
async function failsThrice({ store, users, calls }: Process): Promise<void> {
  store.state = 'broken';
  for (const key of ['a', 'b', 'c']) {
    const answer = users.get(key);
    await settleJobs();
    calls.at(-1)?.resolve(key);
    await answer;
  }
}

test('an engine that does not answer: after 50 ms the process loads for itself, once for equal calls', async () => {
  const one = createProcess();
  one.store.state = 'stalled';
  const answers = Promise.all([one.users.get('ann'), one.users.get('ann')]);
  await pass(25);
  expect(called(one)).toBe(0);
  await pass(25);
  expect(called(one)).toBe(1);
  one.calls[0]?.resolve('Ann');
  expect(await answers).toEqual(['Ann', 'Ann']);
  expect(one.load.stats()).toMatchObject({ local: 1, led: 0 });
  expect(one.coordinator.stats()).toMatchObject({ timeouts: 1, state: 'up', unreached: 1 });
});

test('three failures in a second: the engine is not asked for a second, then by one probe', async () => {
  const one = createProcess();
  const states: unknown[] = [];
  const onState = (message: unknown) => states.push(message);
  subscribe('ticketing:batching:coordinator', onState);
  one.store.state = 'broken';
  const get = async (key: string) => {
    const answer = one.users.get(key);
    await settleJobs();
    one.calls.at(-1)?.resolve(key);
    expect(await answer).toBe(key);
    await settleJobs();
  };
  for (const key of ['a', 'b', 'c', 'd', 'e']) await get(key);
  expect(one.store.sent).toHaveLength(3);
  expect(one.coordinator.state).toBe('down');
  expect(one.coordinator.stats()).toMatchObject({
    ...{ errors: 3, downs: 1, unreached: 5, lastError: 'the connection is broken' },
  });
  await pass(1000);
  await get('f');
  await get('g');
  expect(one.store.sent).toHaveLength(4);
  // It stays down; the next probe finds the engine.
  one.store.state = 'connected';
  await pass(1000);
  await get('h');
  expect(one.coordinator.state).toBe('up');
  expect(one.load.stats()).toMatchObject({ led: 1, local: 7 });
  unsubscribe('ticketing:batching:coordinator', onState);
  expect(states).toMatchObject([
    { name: 'coordinator', state: 'down', error: { message: 'the connection is broken' } },
    { name: 'coordinator', state: 'up' },
  ]);
});

test('while the engine is down, callers of a key that is being probed do not wait for the probe', async () => {
  const one = createProcess();
  await failsThrice(one);
  await pass(1000);
  one.store.state = 'stalled';
  const probing = one.users.get('d');
  const others = one.users.get('e');
  await settleJobs();
  expect(one.calls.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'e']);
  await pass(50);
  expect(called(one)).toBe(5);
  for (const call of one.calls) call.resolve(call.key);
  expect(await Promise.all([probing, others])).toEqual(['d', 'e']);
  expect(one.coordinator.state).toBe('down');
});

test('a connection that is there again is used at once', async () => {
  const one = createProcess();
  await failsThrice(one);
  expect(one.coordinator.state).toBe('down');
  one.store.repair();
  const answer = one.users.get('d');
  await settleJobs();
  one.calls.at(-1)?.resolve('d');
  await answer;
  expect(one.coordinator.state).toBe('up');
  expect(one.load.stats().led).toBe(1);
});

test('a lease whose answer came too late is given back: no other waits for it', async () => {
  const [slow, other] = [createProcess(), createProcess()];
  slow.store.state = 'half';
  const first = slow.users.get('ann');
  await pass(50);
  const second = other.users.get('ann');
  await settleJobs();
  expect([slow, other].map(called)).toEqual([1, 0]);
  slow.store.repair();
  await settleJobs();
  expect(called(other)).toBe(1);
  for (const { calls } of [slow, other]) calls[0]?.resolve('Ann');
  expect(await Promise.all([first, second])).toEqual(['Ann', 'Ann']);
});

test('leases that an engine gives when it goes on again are given back, although it is not asked yet', async () => {
  const [stopped, other] = [createProcess(), createProcess()];
  stopped.store.state = 'stalled';
  const keys = ['a', 'b', 'c'];
  const answers = keys.map((key) => stopped.users.get(key));
  await pass(50);
  for (const { key, resolve } of stopped.calls) resolve(key);
  await Promise.all(answers);
  expect(stopped.coordinator.state).toBe('down');
  stopped.store.repair();
  await settleJobs();
  const others = keys.map((key) => other.users.get(key));
  await settleJobs();
  expect(called(other)).toBe(3);
  for (const { key, resolve } of other.calls) resolve(key);
  await Promise.all(others);
});

test('a lease whose answer was lost is taken over by the next claim of the process', async () => {
  const one = createProcess();
  one.store.state = 'half';
  const first = one.users.get('ann');
  await pass(50);
  one.calls[0]?.resolve('Ann');
  await first;
  one.store.state = 'connected';
  const second = one.users.get('ann');
  await settleJobs();
  expect(one.load.stats()).toMatchObject({ led: 1, local: 1 });
  one.calls[1]?.resolve('Ann 2');
  expect(await second).toBe('Ann 2');
  await settleJobs();
  // Its late answer releases nothing.
  one.store.repair();
  await settleJobs();
  expect(one.store.sent).toEqual(['claim', 'claim', 'finish']);
});

test('who waits when the engine fails loads at once: no lease has to run out', async () => {
  const [leader, waiter] = [createProcess(), createProcess()];
  const first = leader.users.get('ann');
  await settleJobs();
  const second = waiter.users.get('ann');
  await settleJobs();
  waiter.store.state = 'broken';
  const others = ['a', 'b', 'c'].map((key) => waiter.users.get(key));
  await settleJobs();
  expect(waiter.calls.map(({ key }) => key).sort()).toEqual(['a', 'ann', 'b', 'c']);
  for (const { key, resolve } of waiter.calls) resolve(key);
  expect(await Promise.all([second, ...others])).toEqual(['ann', 'a', 'b', 'c']);
  leader.calls[0]?.resolve('Ann');
  await first;
});

test('an engine that stops while callers wait: they load after half a second, not when the lease runs out', async () => {
  const [leader, waiter] = [createProcess(), createProcess()];
  const first = leader.users.get('ann');
  await settleJobs();
  const second = waiter.users.get('ann');
  await settleJobs();
  for (const { store } of [leader, waiter]) store.state = 'stalled';
  await pass(575);
  expect([leader, waiter].map(called)).toEqual([1, 1]);
  for (const { calls } of [leader, waiter]) calls[0]?.resolve('Ann');
  expect(await Promise.all([first, second])).toEqual(['Ann', 'Ann']);
});

test('a waiter whose signal aborts rejects at once, and not when the engine has had its time', async () => {
  for (const ms of [0, 25, 500, 525]) {
    const [leader, waiter] = [createProcess(), createProcess()];
    const key = `${ms}`;
    const first = leader.users.get(key);
    await settleJobs();
    const listening = { ready: new Promise<void>(() => {}), stop() {} };
    // At first its subscription is not confirmed; later its command is not answered.
    if (ms < 100) Object.assign(waiter.store, { listen: () => listening });
    const controller = new AbortController();
    const { signal } = controller;
    const second = waiter.load(key, { key, signal, waiters: 1 });
    await settleJobs();
    if (ms >= 100) waiter.store.state = 'half';
    await pass(ms);
    const sent = waiter.store.sent.length;
    controller.abort(new Error('left'));
    expect(await stateOf(second)).toMatchObject({ error: { message: 'left' } });
    waiter.store.repair();
    await pass(100);
    expect(waiter.store.sent.slice(sent).filter((command) => command === 'claim')).toEqual([]);
    expect(waiter.coordinator.stats()).toMatchObject({ held: 0, waiting: 0 });
    leader.calls[0]?.resolve('Ann');
    expect(await first).toBe('Ann');
  }
});

test('a lease that arrives after the signal of its claim has aborted is given back', async () => {
  const [one, other] = [createProcess(), createProcess()];
  one.store.state = 'half';
  const controller = new AbortController();
  const { signal } = controller;
  const left = one.load('ann', { key: 'ann', signal, waiters: 1 });
  await settleJobs();
  controller.abort(new Error('left'));
  expect(await stateOf(left)).toMatchObject({ error: { message: 'left' } });
  one.store.repair();
  await settleJobs();
  expect(one.store.sent).toEqual(['claim', 'release']);
  const answer = other.users.get('ann');
  await settleJobs();
  expect([one, other].map(called)).toEqual([0, 1]);
  other.calls[0]?.resolve('Ann');
  expect(await answer).toBe('Ann');
});

test('a lost message: who waits looks again after half a second, and has the value without a load', async () => {
  const [leader, waiter] = [createProcess(), createProcess()];
  const first = leader.users.get('ann');
  await settleJobs();
  waiter.store.isDeaf = true;
  const second = waiter.users.get('ann');
  await settleJobs();
  leader.calls[0]?.resolve('Ann');
  await first;
  await pass(500);
  expect(waiter.load.stats().followed).toBe(0);
  await pass(25);
  expect(await second).toBe('Ann');
  expect(called(waiter)).toBe(0);
});

test('an outage while a load runs: it goes on, is renewed after it, and answers all', async () => {
  const [leader, waiter] = [createProcess(), createProcess()];
  const first = leader.users.get('ann');
  await settleJobs();
  const second = waiter.users.get('ann');
  await settleJobs();
  leader.store.state = 'broken';
  await pass(1900);
  expect(leader.calls[0]?.context.signal.aborted).toBe(false);
  leader.store.repair();
  await pass(700);
  expect([leader, waiter].map(called)).toEqual([1, 0]);
  leader.calls[0]?.resolve('Ann');
  expect(await Promise.all([first, second])).toEqual(['Ann', 'Ann']);
});

test('an outage longer than the lease: another process loads, and the first stops when it is told', async () => {
  const [leader, waiter] = [createProcess(), createProcess()];
  const first = leader.users.get('ann');
  await settleJobs();
  const second = waiter.users.get('ann');
  await settleJobs();
  leader.store.state = 'stalled';
  await pass(2050);
  expect([leader, waiter].map(called)).toEqual([1, 1]);
  expect(leader.calls[0]?.context.signal.aborted).toBe(false);
  leader.store.repair();
  await pass(2000);
  const { signal } = leader.calls[0]?.context ?? {};
  expect(signal?.aborted).toBe(true);
  leader.calls[0]?.reject(signal?.reason);
  waiter.calls[0]?.resolve('Ann');
  expect(await Promise.all([first, second])).toEqual(['Ann', 'Ann']);
  expect(called(leader)).toBe(1);
});

test('forget rejects while the engine cannot be asked', async () => {
  const one = createProcess();
  one.store.state = 'broken';
  await expect(one.load.forget('ann')).rejects.toMatchObject({
    code: 'ERR_NOT_FORGOTTEN',
    message: 'Cannot forget a key of `coordinator`: the connection is broken',
  });
});

test('a process that hangs while it leads, and then goes on, overwrites nothing', async () => {
  const hanging = createProcess({ ownClock: createManualClock(), ttlMs: 10_000 });
  const other = createProcess({ ttlMs: 10_000 });
  const first = hanging.users.get('ann');
  await settleJobs();
  const second = other.users.get('ann');
  await pass(2050);
  other.calls[0]?.resolve('new');
  expect(await second).toBe('new');
  await settleJobs();
  hanging.calls[0]?.resolve('old');
  await first;
  await settleJobs();
  expect(await other.users.get('ann')).toBe('new');
  expect(hanging.coordinator.stats()).toMatchObject({ refused: 1, finished: 0 });
});

test('a lease that is lost at each renewal: after three of them the process loads for itself', async () => {
  const { store, users, load, calls } = createProcess();
  Object.assign(store, { renew: async () => false });
  const answer = users.get('ann');
  for (let lost = 1; lost <= 3; lost += 1) {
    await settleJobs();
    expect(calls).toHaveLength(lost);
    await pass(1000);
    const { signal } = (calls[lost - 1] as HeldLoad<string>).context;
    expect(signal.reason).toMatchObject({ code: 'ERR_LEASE_LOST' });
    // As loaders do that obey their signal.
    calls[lost - 1]?.reject(signal.reason);
    await settleJobs();
    expect(load.stats()).toMatchObject({ repeated: lost });
    // The engine has the lease until it runs out.
    await pass(2500);
  }
  expect(load.stats()).toMatchObject({ led: 3, local: 1 });
  await pass(10_000);
  expect(calls[3]?.context.signal.aborted).toBe(false);
  calls[3]?.resolve('Ann');
  expect(await answer).toBe('Ann');
  expect(calls).toHaveLength(4);
  expect(machine.clock.pending).toBe(0);
});
