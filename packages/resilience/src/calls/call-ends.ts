import type { GuardError } from '../errors.ts';
import type { Call, CallAttempt } from '../guard-record.ts';
import { leaveCircuit } from '../state/circuit.ts';
import { giveUp } from './attempt-ends.ts';

/** Rejects a call with the error of an attempt. Does nothing if it has ended. */
export function fail(call: Call, error: unknown, now: number): void {
  const { guard } = call;
  if (!guard.watch.has(call)) return;
  guard.counts.failed += 1;
  finish(call, now);
  call.reject(error);
}

/** Refuses an attempt that was not sent. Its call ends: with the error of the attempt before, if there was one. */
export function refuse(attempt: CallAttempt, error: GuardError, now: number): void {
  const { call } = attempt;
  const { circuit, counts } = call.guard;
  attempt.state = 'done';
  if (error.code === 'ERR_CIRCUIT_OPEN') counts.circuitOpen += 1;
  else if (error.code === 'ERR_RATE_LIMITED') counts.rateLimited += 1;
  else counts.overloaded += 1;
  if (circuit !== undefined) leaveCircuit(circuit, attempt.generation);
  fail(call, call.failure === undefined ? error : call.failure.error, now);
}

/** Ends a call whose caller is about to hear of it: an attempt that is still in flight has lost. */
export function finish(call: Call, now: number): void {
  call.guard.watch.remove(call);
  const { main, hedge } = call;
  if (main.state === 'sent') lose(main, now);
  if (hedge?.state === 'sent') lose(hedge, now);
}

function lose(attempt: CallAttempt, now: number): void {
  const error = new DOMException('Another attempt of this call has ended it', 'AbortError');
  giveUp(attempt, { outcome: 'ignored', retryAfterMs: undefined, error, isTimeout: false }, now);
}

/** Ends a call before its function settles. Does nothing if it has ended. */
export function end(call: Call, outcome: 'ignored' | 'failure', error: unknown, now: number): void {
  const { guard, main, hedge } = call;
  if (!guard.watch.has(call)) return;
  guard.watch.remove(call);
  call.reject(error);
  const { waiting } = main;
  if (waiting !== undefined && guard.line.delete(waiting)) {
    main.state = 'done';
    if (guard.circuit !== undefined) leaveCircuit(guard.circuit, main.generation);
  }
  const isTimeout = outcome === 'failure';
  const given = { outcome, retryAfterMs: undefined, error, isTimeout };
  if (main.state === 'sent') giveUp(main, given, now);
  if (hedge?.state === 'sent') giveUp(hedge, given, now);
}
