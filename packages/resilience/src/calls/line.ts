import { AsyncResource } from 'node:async_hooks';
import type { Call, CallAttempt, GuardRecord, Waiting } from '../guard-record.ts';
import { hasPlace } from '../state/limit.ts';
import { sendableAt } from '../state/rate.ts';
import { refuse } from './call-ends.ts';
import { circuitRefusal, placeRefusal, rateRefusal } from './refusals.ts';
import { sendInContext } from './send.ts';
import { setDue } from './set-due.ts';

/** Nothing is sent later in another async context than the caller's, nor after an abort. */
export function prepareToWait(call: Call): void {
  keepContext(call);
  call.guard.watch.listen(call);
}

export function keepContext(call: Call): void {
  call.context ??= new AsyncResource('ticketing:resilience:call');
}

/** Puts an attempt at the end of the line, where it waits for a token and a place until a time. */
export function wait(attempt: CallAttempt, until: number, now: number): void {
  const { call } = attempt;
  prepareToWait(call);
  attempt.waiting = { attempt, until, list: undefined, previous: undefined, next: undefined };
  call.guard.line.add(attempt.waiting);
  setDue(call, now);
}

export function isWaiting({ main }: Call): boolean {
  return main.waiting?.list !== undefined;
}

/** Brings the line up to date after any change: refuses attempts that may not wait, sends attempts that may go. */
export function advance(guard: GuardRecord, now: number): void {
  const { circuit, limit, line, rate, isHeld } = guard;
  if (isHeld || line.first === undefined) return;
  if (circuit?.state.kind === 'open') {
    for (const { attempt } of line.take()) refuse(attempt, circuitRefusal(guard, now), now);
    return;
  }
  if (rate.pausedUntil > now) refuseInPause(guard, now);
  for (let first: Waiting | undefined = line.first; first !== undefined; first = line.first) {
    // The timer may be late.
    if (now >= first.attempt.call.until) {
      refuseLate(first.attempt, now);
    } else if (hasPlace(limit) && sendableAt(rate, 0, now) <= now) {
      line.delete(first);
      sendInContext(first.attempt, now);
    } else {
      setDue(first.attempt.call, now);
      return;
    }
  }
}

/** Refuses attempts that a pause would keep for too long. */
function refuseInPause(guard: GuardRecord, now: number): void {
  const { line, rate } = guard;
  for (const waiting of [...line]) {
    const until = Math.min(waiting.until, now + rate.maxWaitMs);
    if (rate.pausedUntil > until && line.delete(waiting)) {
      refuse(waiting.attempt, rateRefusal(guard, now), now);
    }
  }
}

/** Refuses an attempt that has waited for as long as it may. */
export function refuseLate(attempt: CallAttempt, now: number): void {
  const { guard } = attempt.call;
  if (attempt.waiting !== undefined) guard.line.delete(attempt.waiting);
  const isRate = sendableAt(guard.rate, 0, now) > now;
  refuse(attempt, isRate ? rateRefusal(guard, now) : placeRefusal(guard), now);
}
