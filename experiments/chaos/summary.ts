import type { ChaosEvent } from './events/event.ts';
import type { FaultName } from './faults/fault.ts';
import { type Grade, gradeOf } from './invariants/grade.ts';
import type { Violation } from './invariants/invariants.ts';
import { recoveryMs } from './invariants/request-invariants.ts';
import { starvedMs, timelineOf } from './invariants/timeline.ts';
import { open } from './invariants/whole-invariants.ts';
import { DEADLINE_MS } from './run-setup.ts';

/** One run of a set-up, as results are stored. Plain data. */
export interface Summary {
  readonly setup: string;
  readonly seed: number;
  /** Requests by how they ended. */
  readonly grades: Readonly<Partial<Record<Grade, number>>>;
  readonly requests: number;
  readonly sentAgain: number;
  readonly faults: Readonly<Partial<Record<FaultName, number>>>;
  readonly recoveryMs: number;
  readonly memory: readonly [beforeBytes: number, afterBytes: number];
  readonly descriptors: readonly [before: number, after: number];
  readonly left: number;
  /** Milliseconds for which processes of the demo had no core, by the longest of each part. */
  readonly starvedMs: number;
  /** Breaches that prove nothing, because the machine had no time for anybody. */
  readonly doubtful: number;
  /** Breaches by invariant, without those. */
  readonly violations: Readonly<Partial<Record<string, number>>>;
}

/** Counts a run. */
export function summaryOf(
  run: {
    readonly setup: string;
    readonly seed: number;
    readonly events: readonly ChaosEvent[];
    readonly violations: readonly Violation[];
  },
  terms = { deadlineMs: DEADLINE_MS },
): Summary {
  const timeline = timelineOf(run.events);
  const counted = <Key extends string>(keys: readonly Key[]): Partial<Record<Key, number>> => {
    const counts: Partial<Record<Key, number>> = {};
    for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
    return counts;
  };
  const observed = timeline.of('observed').map(({ state }) => state);
  const [before, after] = [observed[0], observed.at(-1)];
  return {
    ...{ setup: run.setup, seed: run.seed, requests: timeline.requests.length },
    grades: counted(timeline.requests.map((request) => gradeOf(request, { timeline, terms }))),
    sentAgain: timeline.requests.filter(({ isAgain }) => isAgain).length,
    faults: counted(timeline.faults.map(({ began }) => began.name as FaultName)),
    recoveryMs: recoveryMs(timeline, terms),
    memory: [before?.memoryBytes ?? 0, after?.memoryBytes ?? 0],
    descriptors: [before ? open(before) : 0, after ? open(after) : 0],
    left: timeline.of('stopped').reduce((sum, { left }) => sum + left.length, 0),
    starvedMs: starvedMs({ fromMs: 0, toMs: run.events.at(-1)?.atMs ?? 0 }, timeline),
    doubtful: run.violations.filter(({ isDoubtful }) => isDoubtful).length,
    violations: counted(
      run.violations.flatMap(({ invariant, isDoubtful }) => (isDoubtful ? [] : invariant)),
    ),
  };
}
