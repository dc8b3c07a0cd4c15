import type { ChaosEvent } from '../events/event.ts';
import type { Breach, Invariant, Terms } from './invariant.ts';
import * as ofRequests from './request-invariants.ts';
import { overlapMs, starvedMs, timelineOf } from './timeline.ts';
import * as ofTheWhole from './whole-invariants.ts';

/** Every invariant of a run. */
export const INVARIANTS: readonly Invariant[] = [
  ofRequests.endsInTime,
  ofRequests.noConnectionRefused,
  ofRequests.completeIsTrue,
  ofRequests.partialNamesMissing,
  ofRequests.ownQuestion,
  ofRequests.streamsEnd,
  ofRequests.refusedSaysWhen,
  ofRequests.noDefect,
  ofRequests.cutHasCause,
  ofRequests.goodAfterFaults,
  ofTheWhole.nothingGrows,
  ofTheWhole.nothingLeft,
  ofTheWhole.exitsWithZero,
  ofTheWhole.primaryLives,
];

/** Breach of one invariant. */
export interface Violation extends Breach {
  readonly invariant: string;
  /** True if the machine had no time for anybody then, and the invariant is about times. */
  readonly isDoubtful: boolean;
}

/** Time before a breach in which the lateness of the harness is counted: a search, and two checks of a worker. */
const BEFORE_MS = 15_000;
/** Lateness of a process that does next to nothing, in that time, with which times prove nothing. */
const NO_TIME_MS = 1500;
/** Wait of the processes for a core, in that time, after which a worker that is well misses its checks. */
const NO_CORE_MS = 5000;

/**
 * Checks every invariant over a log; of the requests only the ones open at `sinceMs` or later. Pure.
 *
 * A request that has ended breaks no rule later, so a run that is checked all the time reads each once.
 */
export function checkInvariants(
  events: readonly ChaosEvent[],
  terms: Terms,
  sinceMs = 0,
): readonly Violation[] {
  const whole = timelineOf(events);
  const timeline = { ...whole, requests: whole.requests.filter(({ toMs }) => toMs >= sinceMs) };
  const late = timeline.lates.map(({ atMs, ms }) => ({ fromMs: atMs - ms, toMs: atMs }));
  const hadNoTime = (atMs: number): boolean => {
    const span = { fromMs: atMs - BEFORE_MS, toMs: atMs };
    return overlapMs(span, late) >= NO_TIME_MS || starvedMs(span, timeline) >= NO_CORE_MS;
  };
  return INVARIANTS.flatMap(({ id, isOfTime = false, check }) =>
    check(timeline, terms).map((breach) => ({
      ...{ invariant: id, isDoubtful: isOfTime && hadNoTime(breach.atMs) },
      ...breach,
    })),
  );
}
