import fc from 'fast-check';
import type { RunOptions } from '../../src/contract/dispatcher.ts';

/** A call of `run`. */
export interface RunStep {
  readonly kind: 'run';
  readonly key: string | undefined;
  readonly priority: number;
  readonly canAbort: boolean;
  readonly canClone: boolean;
  /** Effect of its `onProgress`. */
  readonly progress: 'none' | 'listens' | 'throws';
  readonly retries: number;
  readonly timeouts: Pick<RunOptions, 'timeoutMs' | 'queueTimeoutMs' | 'runTimeoutMs'>;
}

/** Acts of a worker. An act that is listed twice is twice as likely. */
const workerSteps = [
  ...(['ready', 'ready', 'start', 'start', 'answer', 'answer', 'fail'] as const),
  ...(['progress', 'exit', 'ill', 'load', 'busy', 'room', 'room', 'keys-only', 'lose'] as const),
] as const;

/** Event of a pool. */
export type Step =
  | RunStep
  | { readonly kind: 'abort'; readonly which: number }
  /** Act of a worker: a frame, or its end. */
  | {
      readonly kind: (typeof workerSteps)[number];
      readonly which: number;
    }
  | { readonly kind: 'start-failed'; readonly which: number; readonly final: boolean }
  | { readonly kind: 'time'; readonly ms: number }
  /** Time passes, and timers are late. */
  | { readonly kind: 'stall'; readonly ms: number }
  /** So long that workers which begin nothing are seen to be held up. */
  | { readonly kind: 'hold-up' }
  | { readonly kind: 'scale'; readonly workers: number }
  | { readonly kind: 'turn' | 'reload' | 'capacity' | 'spawn-throws' | 'drain' | 'close' };

/** Options of the pool. */
export interface Setting {
  readonly min: number;
  readonly more: number;
  readonly window: number;
  readonly maxQueue: number;
  readonly maxWaitMs: number | undefined;
  readonly abortGraceMs: number;
  readonly hardKill: boolean;
  readonly maxFailures: number;
  readonly recycleTasks: number;
  /** Whether workers give back what they have not begun. */
  readonly reclaims: 'never' | 'partly' | 'always';
  /** Whether the transport names the owners of keys. */
  readonly homes: boolean;
}

const which = fc.nat(20);
const time = fc.constantFrom(undefined, undefined, undefined, 30, 300);

const runStep: fc.Arbitrary<RunStep> = fc.record({
  kind: fc.constant('run' as const),
  key: fc.constantFrom(undefined, undefined, 'a', 'b', 'c'),
  priority: fc.constantFrom(0, 0, 0, -1, 1),
  canAbort: fc.boolean(),
  canClone: fc.constantFrom(true, true, true, true, false),
  progress: fc.constantFrom('none', 'listens', 'listens', 'throws'),
  retries: fc.constantFrom(0, 0, 1, 2),
  timeouts: fc
    .record({ timeoutMs: time, queueTimeoutMs: time, runTimeoutMs: time })
    .map((all) => Object.fromEntries(Object.entries(all).filter(([, ms]) => ms !== undefined))),
});

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: runStep },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('abort' as const), which }) },
  {
    weight: 24,
    arbitrary: fc.record({
      kind: fc.constantFrom(...workerSteps),
      which,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('start-failed' as const),
      which,
      final: fc.constantFrom(false, false, true),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('time' as const),
      ms: fc.constantFrom(1, 10, 50, 300, 1000, 5000, 30_000),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('hold-up' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('stall' as const),
      ms: fc.constantFrom(10, 50, 300),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('scale' as const),
      workers: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...(['turn', 'turn', 'turn', 'turn', 'turn', 'turn'] as const),
        ...(['reload', 'capacity', 'capacity', 'spawn-throws'] as const),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('drain' as const, 'close' as const) }),
  },
);

export const setting: fc.Arbitrary<Setting> = fc.record({
  min: fc.integer({ min: 1, max: 2 }),
  more: fc.nat(2),
  window: fc.integer({ min: 1, max: 3 }),
  maxQueue: fc.nat(4),
  maxWaitMs: fc.constantFrom(undefined, undefined, 0, 20),
  abortGraceMs: fc.constantFrom(0, 50),
  hardKill: fc.constantFrom(true, true, false),
  maxFailures: fc.nat(3),
  recycleTasks: fc.constantFrom(3, 1000),
  reclaims: fc.constantFrom('never', 'partly', 'always', 'always'),
  homes: fc.boolean(),
});

/** Workers that have more than they begin. */
export const crowded: fc.Arbitrary<Setting> = setting.map((any) => ({
  ...any,
  min: 2,
  window: 3,
  maxFailures: 3,
  reclaims: any.reclaims === 'never' ? 'partly' : any.reclaims,
}));

/** Workers that are shared with others: they give calls back for want of room. */
export const shared: fc.Arbitrary<Setting> = setting.map((any) => ({
  ...any,
  min: 2,
  window: 3,
  maxFailures: 3,
  reclaims: 'never',
}));

/** Steps of which many are of workers that have no room. */
export const busyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: step },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('busy' as const, 'room' as const), which }),
  },
);

/** A call that nothing is special about. */
export const plainRun: RunStep = {
  kind: 'run',
  key: undefined,
  priority: 0,
  canAbort: false,
  canClone: true,
  progress: 'none',
  retries: 0,
  timeouts: {},
};
