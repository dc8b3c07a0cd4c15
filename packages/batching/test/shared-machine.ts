import { createManualClock, type ManualClock } from '@ticketing/test-kit';
import { beforeEach } from 'vitest';
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
import { createFaultyStore, type FaultyStore } from './faulty-store.ts';
import { type HeldLoad, holdLoads, settleJobs } from './held-loads.ts';

/** One of several processes that share what they load. Its loads wait until the test settles them. */
export interface Process {
  readonly store: FaultyStore;
  readonly coordinator: Coordinator;
  readonly load: SharedLoader<string, string>;
  readonly users: Coalescer<string, string>;
  readonly calls: readonly HeldLoad<string>[];
}

export type Settings = Partial<ShareLoadsOptions<string, string>> & {
  readonly loadTimeoutMs?: number;
  /** One that stands still makes a process that hangs. */
  readonly ownClock?: ManualClock;
};

/** Processes, and the engine that they share, with a clock that the test advances. */
export interface Machine {
  readonly clock: ManualClock;
  readonly store: LeaseStore;
  createProcess(settings?: Settings): Process;
  /** Lets time pass in steps, so that the answers of one arrive before the next: a command has 50 ms. */
  pass(ms: number): Promise<void>;
}

const STEP_MS = 25;

export function createMachine(wrap: (store: LeaseStore) => LeaseStore = (same) => same): Machine {
  const clock = createManualClock();
  const store = wrap(createMemoryStore({ clock }));
  return {
    clock,
    store,
    createProcess(settings = {}) {
      const { loadTimeoutMs, ownClock = clock, ...options } = settings;
      const own = createFaultyStore(store);
      const random = () => 0.5;
      const coordinator = createMemoryCoordinator({ store: own, clock: ownClock, random });
      const { load: held, calls } = holdLoads<string>();
      const load = shareLoads<string, string>(held, {
        ...{ coordinator, name: 'users', clock: ownClock, random },
        ...options,
      });
      const limit = loadTimeoutMs === undefined ? {} : { loadTimeoutMs };
      const users = createCoalescer(load, { name: 'users', clock: ownClock, ...limit });
      return { store: own, coordinator, load, users, calls };
    },
    async pass(ms) {
      for (let left = ms; left > 0; left -= STEP_MS) {
        clock.advance(Math.min(STEP_MS, left));
        await settleJobs();
      }
    },
  };
}

/** A machine of its own for each test of a file. */
export function machineOfEachTest(): Machine {
  let machine: Machine;
  beforeEach(() => {
    machine = createMachine();
  });
  return {
    get clock() {
      return machine.clock;
    },
    get store() {
      return machine.store;
    },
    createProcess: (settings) => machine.createProcess(settings),
    pass: (ms) => machine.pass(ms),
  };
}

/** How many times its loader was called. */
export function called({ calls }: Process): number {
  return calls.length;
}
