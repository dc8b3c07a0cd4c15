import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LeaseStore } from '../src/shared/index.ts';
import { type HeldLoad, settleJobs } from './held-loads.ts';
import { createMachine, type Machine, type Process } from './shared-machine.ts';

const RUNS = scaled({ fast: 100, full: 10_000 });

const PROCESSES = 3;
const LEASE_MS = 400;
const TTL_MS = 600;

type Step =
  | { readonly kind: 'get'; readonly process: number; readonly key: string; canLeave: boolean }
  | { readonly kind: 'leave' | 'resolve' | 'reject'; readonly which: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'forget'; readonly process: number; readonly key: string }
  | { readonly kind: 'stalled' | 'half' | 'broken' | 'repair' | 'deaf'; readonly process: number };

const process = fc.nat(PROCESSES - 1);
const key = fc.constantFrom('a', 'b');
const calm: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('get' as const),
      process,
      key,
      canLeave: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('resolve' as const), which: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('leave' as const, 'reject' as const),
      which: fc.nat(20),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.integer({ min: 1, max: 700 }),
    }),
  },
);
const forgets: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('forget' as const),
  process,
  key,
});
const faults: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    'stalled' as const,
    'half' as const,
    'broken' as const,
    'repair' as const,
    'deaf' as const,
  ),
  process,
});

/** A call, and what a caller may expect of it. */
interface Call {
  readonly key: string;
  readonly controller: AbortController | undefined;
  /** Number of the step in which it asked. */
  readonly askedAt: number;
  /** Forgets of the key that had been confirmed by then: a load that began before the last of them is stale. */
  readonly notBefore: number;
  readonly answer: Promise<void>;
  outcome: { readonly value: string } | { readonly error: unknown } | undefined;
  hasLeft: boolean;
}

/** Notes every outcome that the store accepts, and that no stale one is among them. */
function watched(store: LeaseStore, finishes: Map<string, number>): LeaseStore {
  return {
    ...store,
    async finish(id, lease) {
      const isAccepted = await store.finish(id, lease);
      if (isAccepted) {
        expect(lease.fence).toBeGreaterThan(finishes.get(id) ?? 0);
        finishes.set(id, lease.fence);
      }
      return isAccepted;
    },
  };
}

class Run {
  readonly machine: Machine;
  readonly processes: readonly Process[];
  readonly calls: Call[] = [];
  readonly finishes = new Map<string, number>();
  /** By load: the step in which it began. */
  readonly began = new Map<HeldLoad<string>, number>();
  readonly forgotten = new Map<string, number>();
  readonly #settled = new Set<HeldLoad<string>>();
  readonly #answers: Promise<unknown>[] = [];
  now = 0;

  constructor(ttlMs: number) {
    this.machine = createMachine((store) => watched(store, this.finishes));
    this.processes = Array.from({ length: PROCESSES }, () =>
      this.machine.createProcess({ leaseMs: LEASE_MS, ttlMs }),
    );
  }

  /** Loads that wait for the test. */
  get open(): readonly HeldLoad<string>[] {
    return this.processes.flatMap(({ calls }) => calls.filter((call) => !this.#settled.has(call)));
  }

  async step(step: Step): Promise<void> {
    this.now += 1;
    this.#act(step);
    if (step.kind === 'pass') await this.machine.pass(step.ms);
    await settleJobs();
    for (const load of this.open) {
      if (!this.began.has(load)) this.began.set(load, this.now);
      // As loaders do: one whose signal aborts rejects.
      if (load.context.signal.aborted)
        this.#settle(load, () => load.reject(load.context.signal.reason));
    }
    await settleJobs();
  }

  #act(step: Step): void {
    const owner = 'process' in step ? this.processes[step.process] : undefined;
    switch (step.kind) {
      case 'get':
        this.#get(owner as Process, step.key, step.canLeave);
        break;
      case 'forget':
        this.#forget(owner as Process, step.key);
        break;
      case 'leave': {
        const staying = this.calls.filter((call) => call.outcome === undefined && call.controller);
        const call = staying[step.which % Math.max(1, staying.length)];
        if (call === undefined) break;
        call.hasLeft = true;
        call.controller?.abort(new Error('left'));
        break;
      }
      case 'resolve':
      case 'reject': {
        const load = this.open[step.which % Math.max(1, this.open.length)];
        if (load === undefined) break;
        const text = `${load.key} ${this.began.get(load) ?? this.now}`;
        this.#settle(load, () => {
          if (step.kind === 'resolve') load.resolve(text);
          else load.reject(new Error(text));
        });
        break;
      }
      case 'repair':
        (owner as Process).store.isDeaf = false;
        (owner as Process).store.repair();
        break;
      case 'deaf':
        (owner as Process).store.isDeaf = true;
        break;
      case 'pass':
        break;
      default:
        (owner as Process).store.state = step.kind;
    }
  }

  #settle(load: HeldLoad<string>, settle: () => void): void {
    this.#settled.add(load);
    settle();
  }

  #get({ users }: Process, asked: string, canLeave: boolean): void {
    const controller = canLeave ? new AbortController() : undefined;
    const promise = users.get(asked, controller ? { signal: controller.signal } : {});
    const call: Call = {
      ...{ key: asked, controller, askedAt: this.now, hasLeft: false, outcome: undefined },
      notBefore: this.forgotten.get(asked) ?? 0,
      answer: promise.then(
        (value) => {
          call.outcome = { value };
        },
        (error: unknown) => {
          call.outcome = { error };
        },
      ),
    };
    this.calls.push(call);
  }

  #forget({ load }: Process, asked: string): void {
    const at = this.now;
    // What a coalescer has in flight is its own to forget, in each process.
    const forgetHere = (): void => {
      for (const { users } of this.processes) users.forget(asked);
    };
    this.#answers.push(
      load.forget(asked).then(
        () => {
          this.forgotten.set(asked, Math.max(at, this.forgotten.get(asked) ?? 0));
          forgetHere();
        },
        () => {},
      ),
    );
  }

  /** Ends all faults, ends all loads, and lets time pass until all callers have their answer. */
  async end(): Promise<void> {
    for (const { store } of this.processes) {
      store.isDeaf = false;
      store.repair();
    }
    for (
      let round = 0;
      round < 40 && this.calls.some((call) => call.outcome === undefined);
      round += 1
    ) {
      await this.step({ kind: 'pass', ms: LEASE_MS });
      while (this.open.length > 0) await this.step({ kind: 'resolve', which: 0 });
    }
    // Renewals in the background have no caller.
    while (this.open.length > 0) await this.step({ kind: 'resolve', which: 0 });
    await this.machine.pass(LEASE_MS * 2);
    await Promise.all(this.#answers);
  }
}

/** Returns the step in which the load of an outcome began. */
function beganAt(outcome: Call['outcome']): number | undefined {
  if (outcome === undefined) return undefined;
  const text = 'value' in outcome ? outcome.value : (outcome.error as Error).message;
  const began = /^[ab] (\d+)$/.exec(text)?.[1];
  return began === undefined ? undefined : Number(began);
}

async function checkEnd(run: Run): Promise<void> {
  for (const call of run.calls) {
    expect(call.outcome).toBeDefined();
    const began = beganAt(call.outcome);
    if (began === undefined) {
      // No load's outcome: nothing but the caller's own leaving, or that of all callers, ends it so.
      expect(call.hasLeft).toBe(true);
      continue;
    }
    const text =
      'value' in (call.outcome ?? {}) ? (call.outcome as { value: string }).value : call.key;
    expect(text.startsWith(call.key)).toBe(true);
    expect(began).toBeGreaterThanOrEqual(call.notBefore);
  }
  for (const { coordinator } of run.processes) {
    expect(coordinator.stats()).toMatchObject({ held: 0, waiting: 0 });
  }
  expect(run.machine.clock.pending).toBe(0);
}

/** Random interleavings of calls, loads, time and faults, in three processes that share two keys. */
const runs = { numRuns: Math.ceil(RUNS / 3) };

test('model: without faults one load of a key runs at a time, and each caller is answered', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(calm, { maxLength: 40, size: 'max' }),
      fc.boolean(),
      async (steps, isKept) => {
        const run = new Run(isKept ? TTL_MS : 0);
        for (const step of steps) {
          await run.step(step);
          for (const each of ['a', 'b']) {
            const loads = run.open.filter(
              (load) => load.key === each && !load.context.signal.aborted,
            );
            expect(loads.length).toBeLessThanOrEqual(1);
          }
        }
        await run.end();
        await checkEnd(run);
        for (const { coordinator } of run.processes) {
          expect(coordinator.stats()).toMatchObject({
            refused: 0,
            lost: 0,
            errors: 0,
            timeouts: 0,
          });
        }
      },
    ),
    runs,
  );
});

test('model: with faults and forgets each caller is answered, nothing stale, and fences only grow', async () => {
  const any = fc.oneof(
    { weight: 8, arbitrary: calm },
    { weight: 1, arbitrary: forgets },
    { weight: 2, arbitrary: faults },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(any, { maxLength: 50, size: 'max' }),
      fc.boolean(),
      async (steps, isKept) => {
        const run = new Run(isKept ? TTL_MS : 0);
        for (const step of steps) {
          await run.step(step);
        }
        await run.end();
        await checkEnd(run);
      },
    ),
    runs,
  );
});
