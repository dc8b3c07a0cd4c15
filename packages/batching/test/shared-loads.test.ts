import { createManualClock, type ManualClock } from '@ticketing/test-kit';
import { beforeEach, expect, test } from 'vitest';
import { type Coalescer, createCoalescer } from '../src/index.ts';
import {
  type Coordinator,
  createMemoryCoordinator,
  createMemoryStore,
  type LeaseStore,
  type SharedLoader,
  type ShareLoadsOptions,
  shareLoads,
} from '../src/shared/index.ts';
import { type HeldLoad, holdLoads, refuseUnhandledRejections, settleJobs } from './held-loads.ts';

refuseUnhandledRejections();

let clock: ManualClock;
let store: LeaseStore;
beforeEach(() => {
  clock = createManualClock();
  store = createMemoryStore({ clock });
});

interface Process {
  readonly coordinator: Coordinator;
  readonly load: SharedLoader<string, string>;
  readonly users: Coalescer<string, string>;
  readonly calls: readonly HeldLoad<string>[];
}

type Settings = Partial<ShareLoadsOptions<string, string>> & {
  readonly store?: LeaseStore;
  readonly loadTimeoutMs?: number;
  readonly ownClock?: ManualClock;
};

/** One of several processes that share what they load. Its loads wait until the test settles them. */
function createProcess(settings: Settings = {}): Process {
  const { store: own = store, loadTimeoutMs, ownClock = clock, ...options } = settings;
  const coordinator = createMemoryCoordinator({ store: own, clock: ownClock, random: () => 0.5 });
  const { load: held, calls } = holdLoads<string>();
  const load = shareLoads<string, string>(held, {
    coordinator,
    name: 'users',
    clock: ownClock,
    ...options,
  });
  const limit = loadTimeoutMs === undefined ? {} : { loadTimeoutMs };
  const users = createCoalescer(load, { name: 'users', clock: ownClock, ...limit });
  return { coordinator, load, users, calls };
}

/** Lets time pass in steps, so that the answers of one arrive before the next: a command has 50 ms. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    clock.advance(Math.min(STEP_MS, left));
    await settleJobs();
  }
}
const STEP_MS = 25;

const called = ({ calls }: Process) => calls.length;

test('one process loads a key, and all get its value', async () => {
  const processes = [createProcess(), createProcess(), createProcess()];
  const answers = processes.map(({ users }) => users.get('ann'));
  await settleJobs();
  expect(processes.map(called)).toEqual([1, 0, 0]);
  processes[0]?.calls[0]?.resolve('Ann');
  expect(await Promise.all(answers)).toEqual(['Ann', 'Ann', 'Ann']);
  expect(processes.map(({ load }) => load.stats().followed)).toEqual([0, 1, 1]);
  expect(processes[0]?.coordinator.stats()).toMatchObject({ finished: 1, held: 0, waiting: 0 });
  expect(clock.pending).toBe(0);
});

test('without ttlMs a value is for those who waited: a later call loads anew', async () => {
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
  clock.advance(4999);
  expect(await another.users.get('ann')).toBe('Ann');
  expect(another.load.stats()).toMatchObject({ kept: 1, led: 0 });
  clock.advance(2);
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
