import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCoalescer, type LoadContext } from '../src/index.ts';
import { settleJobs } from './held-loads.ts';

const RUNS = scaled({ fast: 100, full: 10_000 });

type Step =
  | {
      readonly kind: 'get';
      readonly key: number;
      readonly canLeave: boolean;
      readonly fresh: boolean;
    }
  | { readonly kind: 'abort' | 'resolve' | 'reject'; readonly which: number }
  | { readonly kind: 'forget' | 'forgetIfUnshared'; readonly key: number };

/** One load as the model knows it. */
interface ModelLoad {
  readonly key: number;
  readonly context: LoadContext<number>;
  readonly settle: (outcome: { value: string } | { error: string }) => void;
  outcome: { value: string } | { error: string } | undefined;
  waiters: number;
  permanent: boolean;
  aborted: boolean;
}

interface ModelCaller {
  readonly load: ModelLoad;
  readonly controller: AbortController | undefined;
  readonly answer: Promise<{ value: string } | { error: string }>;
  left: boolean;
}

const key = fc.integer({ min: 0, max: 2 });
const which = fc.nat(30);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('get' as const),
      key,
      canLeave: fc.boolean(),
      fresh: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('abort' as const, 'resolve' as const, 'reject' as const),
      which,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('forget' as const, 'forgetIfUnshared' as const),
      key,
    }),
  },
);

/** Runs steps against the coalescer and a model of it; jobs run between steps where `pauses` says so. */
async function follow(steps: readonly Step[], pauses: readonly boolean[]): Promise<void> {
  const loads: ModelLoad[] = [];
  const callers: ModelCaller[] = [];
  const current = new Map<number, ModelLoad>();
  const coalescer = createCoalescer<number, string>(
    (loadKey, context) =>
      new Promise((resolve, reject) => {
        const settle: ModelLoad['settle'] = (outcome) =>
          'value' in outcome ? resolve(outcome.value) : reject(outcome.error);
        loads.push({
          key: loadKey,
          context,
          settle,
          outcome: undefined,
          waiters: 0,
          permanent: false,
          aborted: false,
        });
      }),
    { name: 'model' },
  );

  const apply = (now: Step): void => {
    switch (now.kind) {
      case 'get': {
        const before = loads.length;
        const controller = now.canLeave ? new AbortController() : undefined;
        const options = {
          ...(controller ? { signal: controller.signal } : {}),
          ...(now.fresh ? { fresh: true } : {}),
        };
        const promise = coalescer.get(
          now.key,
          Object.keys(options).length > 0 ? options : undefined,
        );
        const joinable = now.fresh ? undefined : current.get(now.key);
        expect(loads.length - before).toBe(joinable ? 0 : 1);
        const load = joinable ?? (loads.at(-1) as ModelLoad);
        current.set(now.key, load);
        load.waiters += 1;
        if (!controller) load.permanent = true;
        const answer = promise.then(
          (value) => ({ value }),
          (error) => ({ error }),
        );
        callers.push({ load, controller, answer, left: false });
        break;
      }
      case 'abort': {
        const caller = callers[now.which];
        if (!caller?.controller || caller.left || caller.load.outcome) break;
        caller.left = true;
        caller.controller.abort('left');
        const { load } = caller;
        load.waiters -= 1;
        if (load.waiters === 0 && !load.permanent) {
          load.aborted = true;
          if (current.get(load.key) === load) current.delete(load.key);
        }
        break;
      }
      case 'resolve':
      case 'reject': {
        const load = loads[now.which];
        if (!load || load.outcome) break;
        load.outcome =
          now.kind === 'resolve' ? { value: `v${now.which}` } : { error: `e${now.which}` };
        load.settle(load.outcome);
        break;
      }
      case 'forget':
        expect(coalescer.forget(now.key)).toBe(current.delete(now.key));
        break;
      case 'forgetIfUnshared': {
        const load = current.get(now.key);
        const spared = load !== undefined && load.waiters > 1;
        expect(coalescer.forget(now.key, { ifUnshared: true })).toBe(
          !spared && current.delete(now.key),
        );
        break;
      }
    }
  };
  /** The coalescer learns of a settled load when its jobs run. */
  const runJobs = async (): Promise<void> => {
    await settleJobs();
    for (const load of loads) {
      if (load.outcome && current.get(load.key) === load) current.delete(load.key);
    }
  };

  for (const [index, now] of steps.entries()) {
    apply(now);
    // A settled load stays joinable until its jobs have run: the model steps over that window.
    if (pauses[index] || now.kind === 'resolve' || now.kind === 'reject') await runJobs();
    const inFlight = loads.filter(({ outcome, aborted }) => !outcome && !aborted).length;
    const unshared = inFlight - current.size;
    expect(coalescer.stats()).toMatchObject({ loaded: loads.length, inFlight, unshared });
    for (const load of loads) expect(load.context.signal.aborted).toBe(load.aborted);
    for (const [now, load] of current)
      expect(coalescer.peek(now)).toEqual({ kind: 'loading', waiters: load.waiters });
  }
  for (const [index, load] of loads.entries()) {
    if (load.outcome) continue;
    load.outcome = { value: `v${index}` };
    load.settle(load.outcome);
  }
  for (const { load, left, answer } of callers) {
    expect(await answer).toEqual(left ? { error: 'left' } : load.outcome);
  }
  expect(coalescer.stats()).toMatchObject({ asked: callers.length, inFlight: 0, kept: 0 });
}

test('random interleavings of get, abort, forget and settle do what a model does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.array(fc.boolean(), { maxLength: 25 }),
      follow,
    ),
    { numRuns: RUNS },
  );
}, 600_000);
