import type { FullVerdict } from '../classify.ts';
import type { CallAttempt, GuardRecord } from '../guard-record.ts';
import { type Circuit, leaveCircuit, noteOutcome } from '../state/circuit.ts';
import { addLatency } from '../state/latencies.ts';
import { freePlace, noteLatency, noteTimeout } from '../state/limit.ts';
import { endPauses, pause } from '../state/rate.ts';
import { publishCircuit, publishLimit, publishPause } from './published.ts';

/** End of an attempt that did not succeed. */
export interface AttemptEnd extends Pick<FullVerdict, 'outcome' | 'retryAfterMs'> {
  readonly error: unknown;
  /** True if its time was up. */
  readonly isTimeout: boolean;
}

/** Notes the success of an attempt in all parts, and frees its place. */
export function succeed(attempt: CallAttempt, now: number): void {
  const { call } = attempt;
  const { guard } = call;
  const { circuit, latencies, limit } = guard;
  const ms = now - attempt.startedAt;
  attempt.state = 'done';
  attempt.view?.leave();
  guard.counts.success += 1;
  endPauses(guard.rate, attempt.pauses);
  if (attempt.kind === 'hedge') {
    guard.counts.hedgesWon += 1;
    // A hedge wins beside a slow attempt: without the slow ones the percentile would fall from hedge to hedge.
    if (call.main.state === 'sent') addLatency(latencies, now - call.main.startedAt);
  } else addLatency(latencies, ms);
  const before = limit.exact;
  noteLatency(limit, ms, attempt.startedAt, now);
  if (limit.exact !== before) publishLimit(guard, before);
  freePlace(limit);
  if (circuit !== undefined) note(guard, circuit, attempt.generation, false, now);
}

/** Notes the end of an attempt that did not succeed in all parts, and frees its place. */
export function release(attempt: CallAttempt, end: AttemptEnd, now: number): void {
  const { guard } = attempt.call;
  const { circuit, counts, limit, rate } = guard;
  const { outcome, retryAfterMs, error, isTimeout } = end;
  attempt.state = 'done';
  attempt.view?.leave();
  counts[outcome] += 1;
  if (isTimeout && outcome === 'failure') {
    const before = limit.exact;
    noteTimeout(limit, now);
    if (limit.exact !== before) publishLimit(guard, before);
  }
  freePlace(limit);
  if (outcome === 'throttled' && pause(rate, attempt.pauses, retryAfterMs, now)) {
    publishPause(guard, error, now);
  }
  if (circuit === undefined) return;
  if (outcome === 'failure') note(guard, circuit, attempt.generation, true, now);
  else leaveCircuit(circuit, attempt.generation);
}

/** Gives up an attempt whose function has not settled: its place is free at once, and its signal is aborted. */
export function giveUp(attempt: CallAttempt, end: AttemptEnd, now: number): void {
  attempt.call.guard.counts.abandoned += 1;
  release(attempt, end, now);
  attempt.view?.abort(end.error);
}

function note(
  guard: GuardRecord,
  circuit: Circuit,
  generation: number,
  isFailure: boolean,
  now: number,
): void {
  const { kind } = circuit.state;
  if (noteOutcome(circuit, generation, isFailure, now, guard.options.random)) {
    publishCircuit(guard, circuit, kind, now);
  }
}
