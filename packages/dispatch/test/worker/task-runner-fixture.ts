import type { FromWorker, RunFrame } from '../../src/contract/frames.ts';
import type { TaskHooks, TaskMap } from '../../src/contract/task.ts';
import { defineTasks } from '../../src/define-tasks.ts';
import { TaskRunner } from '../../src/worker/task-runner.ts';
import { runFrame } from '../wire-fixture.ts';

/** A runner with a clock and an event loop that stand still until they are moved. */
export interface RunnerRig {
  readonly runner: TaskRunner;
  readonly told: FromWorker[];
  /** Events in their order: `started 1`, `task`, … */
  readonly log: string[];
  /** Streams that wait for room, and those that go on. */
  readonly stalls: (readonly [seq: number, isStalled: boolean])[];
  stopped: { readonly error: unknown } | undefined | 'not yet';
  advance(ms: number): void;
  /** The event loop comes round. */
  turn(): void;
  run(...frames: readonly (Partial<RunFrame> & { readonly seq: number })[]): void;
}

export function createRig(
  tasks: TaskMap,
  hooks: TaskHooks = {},
  takenBack: ReadonlySet<number> = new Set(),
): RunnerRig {
  const told: FromWorker[] = [];
  const log: string[] = [];
  const stalls: (readonly [number, boolean])[] = [];
  const turns: (() => void)[] = [];
  let now = 1000;
  const runner = new TaskRunner(defineTasks(tasks, hooks), {
    workerId: 3,
    slot: 0,
    emit: (frame) => {
      told.push(frame);
      log.push('seq' in frame ? `${frame.kind} ${frame.seq}` : frame.kind);
    },
    claim(seq) {
      log.push(`claimed ${seq}`);
      return !takenBack.has(seq);
    },
    stopped: (failure) => {
      rig.stopped = failure;
    },
    stalled: (seq, isStalled) => stalls.push([seq, isStalled]),
    now: () => now,
    afterTurn: (resume) => turns.push(resume),
  });
  const rig: RunnerRig = {
    runner,
    told,
    log,
    stalls,
    stopped: 'not yet',
    advance: (ms) => {
      now += ms;
    },
    turn: () => {
      for (const resume of turns.splice(0)) resume();
    },
    run: (...frames) =>
      runner.accept(frames.map(({ seq, ...more }) => runFrame(seq, undefined, more))),
  };
  return rig;
}

/** Lets what has settled be told. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 10; round += 1) await Promise.resolve();
}

/** A promise that is settled from outside. */
export function defer(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settled) => {
    resolve = settled;
  });
  return { promise, resolve };
}
