import { expect, test } from 'vitest';
import { createMemoryCoordinator, shareLoads } from '../src/shared/index.ts';
import { refuseUnhandledRejections, settleJobs, stateOf } from './held-loads.ts';
import { called, machineOfEachTest, type Process, type Settings } from './shared-machine.ts';

refuseUnhandledRejections();
const machine = machineOfEachTest();

/** Values are texts of tags, with a blank between them. */
const TAGGED: Settings = { ttlMs: 60_000, refresh: 0, tags: (value) => value.split(' ') };

/** Gets a key, and ends the load that this begins, if it does. */
async function get(process: Process, key: string, value: string): Promise<unknown> {
  const before = called(process);
  const answer = process.users.get(key);
  await settleJobs();
  if (called(process) > before) process.calls.at(-1)?.resolve(value);
  return stateOf(answer);
}

test('a tag that one process forgets is forgotten in all, and other values are kept', async () => {
  const [one, another] = [machine.createProcess(TAGGED), machine.createProcess(TAGGED)];
  expect(await get(one, 'a', 'red 1')).toBe('red 1');
  expect(await get(one, 'b', 'green 1')).toBe('green 1');
  expect(await get(another, 'a', 'red 2')).toBe('red 1');
  await another.load.forgetTag('red');
  expect(await get(one, 'a', 'red 2')).toBe('red 2');
  expect(await get(another, 'a', 'red 3')).toBe('red 2');
  expect(await get(another, 'b', 'green 2')).toBe('green 1');
  expect(one.load.stats()).toMatchObject({ led: 3, outdated: 1, forgottenTags: 1 });
  expect(another.load.stats()).toMatchObject({ kept: 3, outdated: 0, forgottenTags: 1 });
});

test('the load of a forgotten tag answers the callers of its process, is not kept, and those of others load anew', async () => {
  const [leader, waiter] = [machine.createProcess(TAGGED), machine.createProcess(TAGGED)];
  const led = leader.users.get('a');
  await settleJobs();
  const waited = waiter.users.get('a');
  await settleJobs();
  await waiter.load.forgetTag('red');
  leader.calls[0]?.resolve('red 1');
  expect(await led).toBe('red 1');
  await settleJobs();
  expect([called(leader), called(waiter)]).toEqual([1, 1]);
  waiter.calls[0]?.resolve('red 2');
  expect(await waited).toBe('red 2');
  expect(await get(leader, 'a', 'red 3')).toBe('red 2');
  expect(waiter.load.stats()).toMatchObject({ outdated: 1, led: 1, followed: 0 });
});

test('the load of a value without the forgotten tag answers all', async () => {
  const [leader, waiter] = [machine.createProcess(TAGGED), machine.createProcess(TAGGED)];
  void leader.users.get('a');
  await settleJobs();
  const waited = waiter.users.get('a');
  await settleJobs();
  await waiter.load.forgetTag('red');
  leader.calls[0]?.resolve('green 1');
  expect(await waited).toBe('green 1');
  expect(called(waiter)).toBe(0);
});

test('a loader without tags does not use what another has tagged and then forgotten', async () => {
  const one = machine.createProcess(TAGGED);
  const without = machine.createProcess({ ttlMs: 60_000, refresh: 0 });
  await get(one, 'a', 'red 1');
  expect(await get(without, 'a', 'red 2')).toBe('red 1');
  await one.load.forgetTag('red');
  expect(await get(without, 'a', 'red 2')).toBe('red 2');
  await expect(without.load.forgetTag('red')).rejects.toThrow(
    new TypeError('Cannot forget a tag of `users`: it has no option `tags`'),
  );
});

test('without tags no command is sent for them', async () => {
  const { users, store, calls } = machine.createProcess({ ttlMs: 60_000 });
  const first = users.get('a');
  await settleJobs();
  calls[0]?.resolve('a');
  await first;
  await users.get('a');
  expect(store.sent).toEqual(['claim', 'finish', 'claim']);
});

test('an engine that fails: forgetTag() rejects, and each process loads for itself', async () => {
  const one = machine.createProcess(TAGGED);
  await get(one, 'a', 'red 1');
  one.store.state = 'broken';
  await expect(one.load.forgetTag('red')).rejects.toMatchObject({
    code: 'ERR_NOT_FORGOTTEN',
    message: 'Cannot forget a tag of `coordinator`: the connection is broken',
  });
  expect(await get(one, 'a', 'red 2')).toBe('red 2');
  expect(one.load.stats()).toMatchObject({ local: 1, outdated: 0 });
});

test.each([
  ['of a kept value', 1],
  ['of a lease', 0],
])('an engine that answers the claim %s alone: the process loads for itself', async (_, kept) => {
  const one = machine.createProcess(TAGGED);
  if (kept > 0) await get(one, 'a', 'red 1');
  const coordinator = createMemoryCoordinator({ store: machine.store, clock: machine.clock });
  const load = shareLoads<string, string>(async () => 'own', {
    ...TAGGED,
    name: 'users',
    coordinator: Object.assign(coordinator, { forgottenTags: async () => undefined }),
  });
  const { signal } = new AbortController();
  expect(await load('a', { key: 'a', signal, waiters: 1 })).toBe('own');
  expect(load.stats()).toMatchObject({ local: 1, led: 0 });
  await settleJobs();
  expect(coordinator.stats()).toMatchObject({ held: 0 });
  expect(await get(one, 'a', 'red 2')).toBe(kept > 0 ? 'red 1' : 'red 2');
});

test('a value that is renewed early keeps its tags', async () => {
  const process = machine.createProcess({ ...TAGGED, refresh: 1e9 });
  await machine.pass(25);
  const first = process.users.get('a');
  await settleJobs();
  await machine.pass(25);
  process.calls[0]?.resolve('red 1');
  await first;
  expect(await process.users.get('a')).toBe('red 1');
  await settleJobs();
  expect(called(process)).toBe(2);
  process.calls[1]?.resolve('red 2');
  await settleJobs();
  await process.load.forgetTag('red');
  expect(await get(process, 'a', 'red 3')).toBe('red 3');
});

test('wrong tags fail the load for all who wait, and forgetTag() refuses what is no tag', async () => {
  const wrong = { ...TAGGED, tags: () => [7] as never };
  const [leader, waiter] = [machine.createProcess(wrong), machine.createProcess(wrong)];
  const answers = [leader.users.get('a')];
  await settleJobs();
  answers.push(waiter.users.get('a'));
  await settleJobs();
  leader.calls[0]?.resolve('a');
  for (const answer of answers) {
    await expect(answer).rejects.toMatchObject({
      code: 'ERR_WRONG_TAGS',
      message:
        'Cannot tag a value of `users`: `tags` must return a list of at most 64 texts of 1 to 256 characters, got 7',
    });
  }
  await expect(leader.load.forgetTag('')).rejects.toThrow('`tag` must be a text of 1 to 256');
});
