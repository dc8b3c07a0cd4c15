import { type FullVerdict, isTimeout, verdictOn } from '../classify.ts';
import { attemptTimedOut, guardClosed, timedOut } from '../errors.ts';
import type { Attempt, RunOptions } from '../guard.ts';
import { Call, type CallAttempt, type CallEvents, type GuardRecord } from '../guard-record.ts';
import { giveUp, release, succeed } from './attempt-ends.ts';
import { end, fail, finish } from './call-ends.ts';
import { advance, isWaiting, keepContext, refuseLate } from './line.ts';
import { begin, beginNext, proceed } from './next-attempt.ts';
import { setDue } from './set-due.ts';

const NEVER = Number.POSITIVE_INFINITY;
/** Most records of calls that are kept for later ones. */
const LARGEST_POOL = 256;

/** Keeps the functions of the promise that is made, without a closure for each. */
let resolveLast: (value: never) => void;
let rejectLast: (error: unknown) => void;
const keepFunctions = (resolve: (value: never) => void, reject: (error: unknown) => void): void => {
  resolveLast = resolve;
  rejectLast = reject;
};

/** Begins a call: the first attempt is sent at once if all parts allow it. */
export function runCall<T>(
  guard: GuardRecord,
  fn: (attempt: Attempt) => unknown,
  { signal, deadline }: RunOptions,
): Promise<T> {
  const promise = new Promise<T>(keepFunctions);
  const resolve = resolveLast;
  const reject = rejectLast;
  const { clock, counts } = guard;
  const now = clock.now();
  const until = deadline === undefined ? NEVER : now + (deadline - clock.epochNow());
  counts.calls += 1;
  if (guard.isClosed) {
    counts.failed += 1;
    reject(guardClosed(guard.options.name));
  } else if (signal?.aborted) {
    counts.left += 1;
    reject(signal.reason);
  } else if (until <= now) {
    counts.timeouts += 1;
    reject(timedOut(guard.options.name, undefined));
  } else {
    const call = guard.pool.pop() ?? new Call(guard);
    call.fn = fn;
    call.signal = signal;
    call.deadline = deadline;
    call.until = until;
    call.resolve = resolve;
    call.reject = reject;
    if (guard.keepsContext) keepContext(call);
    guard.watch.add(call, until);
    begin(call.main, now);
  }
  return promise;
}

/** Keeps the record of a call that ended with the success of its first attempt, of which nothing goes on. */
function reuse(call: Call): void {
  const { main, guard } = call;
  if (guard.pool.length >= LARGEST_POOL) return;
  call.fn = nothing;
  call.signal = undefined;
  call.resolve = nothing;
  call.reject = nothing;
  call.context = undefined;
  call.nextAt = NEVER;
  main.state = 'new';
  main.waiting = undefined;
  main.view = undefined;
  main.generation = -1;
  guard.pool.push(call);
}

function nothing(): void {}

/** Events of calls from outside. After each, `advance` does for the line what follows. */
export const callEvents: CallEvents = { answered, failed, leave };

function answered(attempt: CallAttempt, value: unknown): void {
  const { call } = attempt;
  if (!isAwaited(attempt)) return;
  const { guard } = call;
  const now = guard.clock.now();
  succeed(attempt, now);
  guard.counts.succeeded += 1;
  finish(call, now);
  call.resolve(value as never);
  if (attempt.number === 1 && call.hedge === undefined) reuse(call);
  advance(guard, now);
}

function failed(attempt: CallAttempt, error: unknown): void {
  if (!isAwaited(attempt)) return;
  const { call } = attempt;
  const { guard } = call;
  const now = guard.clock.now();
  let verdict: FullVerdict;
  try {
    verdict = verdictOn(error, guard.options.classify);
  } catch (wrong) {
    const given = { outcome: 'ignored', retryAfterMs: undefined, error: wrong } as const;
    release(attempt, { ...given, isTimeout: false }, now);
    fail(call, wrong, now);
    advance(guard, now);
    return;
  }
  if (verdict.outcome === 'success') {
    // The upstream answered, though with an error: nothing is tried again.
    succeed(attempt, now);
    fail(call, error, now);
  } else {
    const { outcome, retryAfterMs } = verdict;
    release(attempt, { outcome, retryAfterMs, error, isTimeout: isTimeout(error) }, now);
    proceed(attempt, error, verdict, now);
  }
  advance(guard, now);
}

/** Returns true if what the attempt's function returned or threw still counts. */
function isAwaited(attempt: CallAttempt): boolean {
  const { call } = attempt;
  if (attempt.state === 'done') {
    call.guard.counts.abandoned -= 1;
    return false;
  }
  if (call.signal === undefined || !call.signal.aborted) return true;
  // The listener is not there yet: this call is younger than a turn of the event loop.
  leave(call, call.signal.reason);
  call.guard.counts.abandoned -= 1;
  return false;
}

/** Ends a call whose caller has left: a failure of the upstream if its time was up. */
function leave(call: Call, reason: unknown): void {
  const { guard } = call;
  const now = guard.clock.now();
  const isTime = isTimeout(reason);
  guard.counts[isTime ? 'timeouts' : 'left'] += 1;
  end(call, isTime ? 'failure' : 'ignored', reason, now);
  advance(guard, now);
}

/** Ends all calls of a guard. */
export function closeCalls(guard: GuardRecord): void {
  const now = guard.clock.now();
  const error = guardClosed(guard.options.name);
  for (const call of guard.watch.calls()) {
    guard.counts.failed += 1;
    end(call, 'ignored', error, now);
  }
}

/** Does what is due for some calls: first what may free places, then what waits for them. Nothing is sent at its deadline. */
export function due(calls: readonly Call[], now: number): void {
  const guard = calls[0]?.guard;
  if (guard === undefined) return;
  for (const call of calls) {
    if (isWaiting(call) && now >= call.until) refuseLate(call.main, now);
  }
  guard.isHeld = true;
  try {
    for (const call of calls) if (!isWaiting(call)) dueOf(call, now);
  } finally {
    guard.isHeld = false;
  }
  for (const call of calls) {
    advance(guard, now);
    const { waiting } = call.main;
    if (waiting?.list !== undefined && now >= waiting.until) refuseLate(call.main, now);
  }
  advance(guard, now);
}

function dueOf(call: Call, now: number): void {
  const { watch } = call.guard;
  // What was done for another call may have ended this one.
  if (!watch.has(call)) return;
  if (now >= call.until) {
    expire(call, now);
    return;
  }
  timeOut(call.main, now);
  if (call.hedge !== undefined) timeOut(call.hedge, now);
  if (call.nextAt <= now && watch.has(call)) beginNext(call, now);
  if (watch.has(call)) setDue(call, now);
}

/** Ends a call whose deadline has passed. */
function expire(call: Call, now: number): void {
  const { counts, options } = call.guard;
  counts.timeouts += 1;
  end(call, 'failure', timedOut(options.name, call.failure?.error), now);
}

/** Gives up an attempt that has taken too long. */
function timeOut(attempt: CallAttempt, now: number): void {
  const { counts, options } = attempt.call.guard;
  const { name, attemptTimeoutMs = NEVER } = options;
  if (attempt.state !== 'sent' || now < attempt.startedAt + attemptTimeoutMs) return;
  const error = attemptTimedOut(name, attemptTimeoutMs);
  counts.attemptTimeouts += 1;
  const verdict = { outcome: 'failure', retryable: true, retryAfterMs: undefined } as const;
  giveUp(attempt, { outcome: 'failure', retryAfterMs: undefined, error, isTimeout: true }, now);
  proceed(attempt, error, verdict, now);
}
