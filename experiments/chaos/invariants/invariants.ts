import type { ChaosEvent } from '../events/event.ts';
import type { Breach, Invariant, Terms } from './invariant.ts';
import * as ofRequests from './request-invariants.ts';
import { timelineOf } from './timeline.ts';
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
}

/** Checks every invariant over a log. Pure. */
export function checkInvariants(events: readonly ChaosEvent[], terms: Terms): readonly Violation[] {
  const timeline = timelineOf(events);
  return INVARIANTS.flatMap(({ id, check }) =>
    check(timeline, terms).map((breach) => ({ invariant: id, ...breach })),
  );
}
