import { AsyncResource } from 'node:async_hooks';
import { type FullVerdict, isTimeout, verdictOn } from '../classify.ts';
import { attemptTimedOut, type GuardError, guardClosed, timedOut } from '../errors.ts';
import type { Attempt, RunOptions } from '../guard.ts';
import { Call, CallAttempt, type GuardRecord } from '../guard-record.ts';
import { deposit, withdraw } from '../state/budget.ts';
import {
  type Circuit,
  circuitRetryAfterMs,
  enterCircuit,
  leaveCircuit,
  noteOutcome,
} from '../state/circuit.ts';
import { addLatency, medianOf, percentile } from '../state/latencies.ts';
import { freePlace, hasPlace, noteLatency, noteTimeout, takePlace } from '../state/limit.ts';
import { endPauses, pause, sendableAt, takeToken } from '../state/rate.ts';
import { AttemptView } from './attempt-view.ts';
import {
  publishCircuit,
  publishHedge,
  publishLimit,
  publishPause,
  publishRetry,
} from './published.ts';
import { circuitRefusal, placeRefusal, rateRefusal } from './refusals.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** Settles a call in the executor of its promise, without a closure for each. */
let resolveLast: (value: never) => void;
let rejectLast: (error: unknown) => void;
const keepFunctions = (resolve: (value: never) => void, reject: (error: unknown) => void): void => {
  resolveLast = resolve;
  rejectLast = reject;
};

/** Most records of calls that are kept for later ones. */
const LARGEST_POOL = 256;

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
    begin(call, call.main, now);
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

function keepContext(call: Call): void {
  call.context ??= new AsyncResource('ticketing:resilience:call');
}

/** Nothing is sent later in another context than the caller's, nor after an abort. */
function prepareToWait(call: Call): void {
  keepContext(call);
  call.guard.watch.listen(call);
}

function attemptsOf({ main, hedge }: Call): number {
  return Math.max(main.number, hedge === undefined ? 0 : hedge.number);
}

/** Begins the first attempt of a call, or a retry: it is sent, waits in the line, or is refused. */
function begin(call: Call, attempt: CallAttempt, now: number): void {
  const { guard } = call;
  const { circuit, rate, line, limit } = guard;
  if (circuit !== undefined && !enter(guard, circuit, attempt, now)) {
    refuse(attempt, circuitRefusal(guard, now), now);
    return;
  }
  const at = sendableAt(rate, line.size, now);
  if (at <= now && line.size === 0 && hasPlace(limit)) {
    send(attempt, now);
    return;
  }
  const latest = call.until - medianOf(guard.latencies);
  if (at > now) {
    const until = Math.min(latest, now + rate.maxWaitMs);
    if (at > until) refuse(attempt, rateRefusal(guard, now), now);
    else wait(attempt, until, now);
  } else if (now > latest || line.size >= (limit.options?.maxQueued ?? 0)) {
    refuse(attempt, placeRefusal(guard), now);
  } else wait(attempt, latest, now);
}

function wait(attempt: CallAttempt, until: number, now: number): void {
  const { call } = attempt;
  prepareToWait(call);
  attempt.waiting = { attempt, until, list: undefined, previous: undefined, next: undefined };
  call.guard.line.add(attempt.waiting);
  setDue(call, now);
}

function enter(guard: GuardRecord, circuit: Circuit, attempt: CallAttempt, now: number): boolean {
  const { generation, state } = circuit;
  if (!enterCircuit(circuit, now)) return false;
  attempt.generation = circuit.generation;
  if (generation !== circuit.generation) publishCircuit(guard, circuit, state.kind, now);
  return true;
}

/** Sends an attempt that all parts have let in. */
function send(attempt: CallAttempt, now: number): void {
  const { call } = attempt;
  const { guard } = call;
  takeToken(guard.rate, now);
  takePlace(guard.limit);
  attempt.state = 'sent';
  attempt.startedAt = now;
  attempt.pauses = guard.rate.pauses;
  count(attempt, now);
  const { hedge } = guard.options;
  if (hedge !== undefined && attempt.kind !== 'hedge' && call.hedge === undefined) {
    const { latencies } = guard;
    call.nextAt =
      latencies.count < hedge.minSamples
        ? NEVER
        : now + Math.max(hedge.minMs, percentile(latencies, hedge.afterPercentile));
  }
  setDue(call, now);
  attempt.view = new AttemptView(attempt, call.deadline, call);
  let result: Promise<unknown>;
  try {
    // Of a promise of this realm it is that promise itself.
    result = Promise.resolve(call.fn(attempt.view));
  } catch (error) {
    failed(attempt, error);
    return;
  }
  result.then(attempt.onValue, attempt.onError);
}

/** Counts an attempt that is sent, and publishes what is not usual. */
function count({ call, kind, number }: CallAttempt, now: number): void {
  const { guard } = call;
  const { counts, budget } = guard;
  switch (kind) {
    case 'first':
      counts.firsts += 1;
      if (budget !== undefined) deposit(budget, now);
      break;
    case 'retry':
      counts.retries += 1;
      publishRetry(guard, number, call.failure, now);
      break;
    case 'hedge':
      counts.hedges += 1;
      publishHedge(guard, number, now - call.main.startedAt);
  }
}

/** An attempt's function has answered. */
export function answered(attempt: CallAttempt, value: unknown): void {
  const { call } = attempt;
  if (!isAwaited(attempt)) return;
  const { guard } = call;
  const now = guard.clock.now();
  succeed(attempt, now);
  guard.counts.succeeded += 1;
  finish(call, now);
  call.resolve(value as never);
  if (attempt.number === 1 && call.hedge === undefined) reuse(call);
  drain(guard, now);
}

/** An attempt's function has thrown or rejected. */
export function failed(attempt: CallAttempt, error: unknown): void {
  if (!isAwaited(attempt)) return;
  const { call } = attempt;
  const { guard } = call;
  const now = guard.clock.now();
  let verdict: FullVerdict;
  try {
    verdict = verdictOn(error, guard.options.classify);
  } catch (wrong) {
    release(attempt, { outcome: 'ignored', retryAfterMs: undefined }, false, wrong, now);
    fail(call, wrong, now);
    drain(guard, now);
    return;
  }
  if (verdict.outcome === 'success') {
    // The upstream answered, though with an error: nothing is tried again.
    succeed(attempt, now);
    fail(call, error, now);
  } else {
    release(attempt, verdict, isTimeout(error), error, now);
    proceed(attempt, error, verdict, now);
  }
  drain(guard, now);
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

/** Notes the success of an attempt in all parts. */
function succeed(attempt: CallAttempt, now: number): void {
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
  if (circuit !== undefined) note(guard, circuit, attempt, false, now);
}

/** Notes the end of an attempt that did not succeed in all parts. */
function release(
  attempt: CallAttempt,
  { outcome, retryAfterMs }: Pick<FullVerdict, 'outcome' | 'retryAfterMs'>,
  isTime: boolean,
  error: unknown,
  now: number,
): void {
  const { guard } = attempt.call;
  const { circuit, counts, limit, rate } = guard;
  attempt.state = 'done';
  counts[outcome] += 1;
  if (isTime && outcome === 'failure') {
    const before = limit.exact;
    noteTimeout(limit, now);
    if (limit.exact !== before) publishLimit(guard, before);
  }
  freePlace(limit);
  if (outcome === 'throttled' && pause(rate, attempt.pauses, retryAfterMs, now)) {
    publishPause(guard, error, now);
    refuseInPause(guard, now);
  }
  if (circuit === undefined) return;
  if (outcome === 'failure') note(guard, circuit, attempt, true, now);
  else leaveCircuit(circuit, attempt.generation);
}

function note(
  guard: GuardRecord,
  circuit: Circuit,
  attempt: CallAttempt,
  isFailure: boolean,
  now: number,
): void {
  const from = circuit.state.kind;
  const { random } = guard.options;
  if (!noteOutcome(circuit, attempt.generation, isFailure, now, random)) return;
  publishCircuit(guard, circuit, from, now);
  if (circuit.state.kind !== 'open') return;
  for (const { attempt: waiting } of guard.line.take()) {
    refuse(waiting, circuitRefusal(guard, now), now);
  }
}

/** Refuses attempts in the line that a pause would keep for too long. */
function refuseInPause(guard: GuardRecord, now: number): void {
  const { line, rate } = guard;
  for (const waiting of [...line]) {
    const until = Math.min(waiting.until, now + rate.maxWaitMs);
    if (rate.pausedUntil > until && line.delete(waiting)) {
      refuse(waiting.attempt, rateRefusal(guard, now), now);
    }
  }
}

/** Sends attempts of the line that have a token and a place now. */
function drain(guard: GuardRecord, now: number): void {
  if (guard.isHeld) return;
  const { limit, line, rate } = guard;
  for (let first = line.first; first !== undefined; first = line.first) {
    // The timer may be late.
    if (now >= first.attempt.call.until) {
      giveUpWaiting(first.attempt.call, now);
      continue;
    }
    if (!hasPlace(limit) || sendableAt(rate, 0, now) > now) {
      setDue(first.attempt.call, now);
      return;
    }
    line.delete(first);
    sendInContext(first.attempt, now);
  }
}

function sendInContext(attempt: CallAttempt, now: number): void {
  const { context } = attempt.call;
  if (context === undefined) send(attempt, now);
  else context.runInAsyncScope(send, undefined, attempt, now);
}

/** Continues a call after a failed attempt: waits for the attempt beside it, retries, or rejects. */
function proceed(attempt: CallAttempt, error: unknown, verdict: FullVerdict, now: number): void {
  const { call } = attempt;
  if (call.place < 0) return;
  call.failure = { error, at: now };
  const beside = attempt === call.main ? call.hedge : call.main;
  if (beside?.state !== 'sent') {
    const waitMs = retryWaitMs(call, verdict, now);
    if (waitMs === undefined) {
      fail(call, error, now);
      return;
    }
    prepareToWait(call);
    call.nextAt = now + waitMs;
  }
  setDue(call, now);
}

/** Returns the milliseconds before a retry, which its budget then has paid for; undefined if there is none. */
function retryWaitMs(call: Call, verdict: FullVerdict, now: number): number | undefined {
  const { circuit, budget, latencies, options, rate, counts } = call.guard;
  const { retry, random } = options;
  if (retry === undefined || budget === undefined || !verdict.retryable) return undefined;
  const tries = attemptsOf(call) - (call.hedge === undefined ? 0 : 1);
  if (tries >= retry.maxAttempts) return undefined;
  const { outcome, retryAfterMs = 0 } = verdict;
  const pausedMs = Math.max(0, rate.pausedUntil - now);
  if (pausedMs > rate.maxWaitMs) return undefined;
  if (outcome === 'failure' && retryAfterMs > retry.capMs) return undefined;
  const backoffMs = random() * Math.min(retry.capMs, retry.baseMs * 2 ** (tries - 1));
  const waitMs = Math.max(backoffMs, pausedMs, outcome === 'failure' ? retryAfterMs : 0);
  if (now + waitMs + medianOf(latencies) > call.until) return undefined;
  if (circuit !== undefined && circuitRetryAfterMs(circuit, now) > waitMs) return undefined;
  if (withdraw(budget, now)) return waitMs;
  counts.noBudget += 1;
  return undefined;
}

/** Sends a second attempt beside a slow one, unless any part would refuse it or let it wait. */
function sendHedge(call: Call, now: number): void {
  const { guard } = call;
  const { budget, circuit, limit, line, rate } = guard;
  if (budget === undefined) return;
  if (circuit !== undefined && circuit.state.kind !== 'closed') return;
  if (line.size > 0 || !hasPlace(limit) || sendableAt(rate, 0, now) > now) return;
  if (!withdraw(budget, now)) {
    guard.counts.noBudget += 1;
    return;
  }
  const hedge = new CallAttempt(call, attemptsOf(call) + 1, 'hedge');
  if (circuit !== undefined) hedge.generation = circuit.generation;
  call.hedge = hedge;
  sendInContext(hedge, now);
}

/** Refuses an attempt that was not sent. Its call ends: with the error of the attempt before, if there was one. */
function refuse(attempt: CallAttempt, error: GuardError, now: number): void {
  const { call } = attempt;
  const { circuit, counts } = call.guard;
  attempt.state = 'done';
  if (error.code === 'ERR_CIRCUIT_OPEN') counts.circuitOpen += 1;
  else if (error.code === 'ERR_RATE_LIMITED') counts.rateLimited += 1;
  else counts.overloaded += 1;
  if (circuit !== undefined) leaveCircuit(circuit, attempt.generation);
  fail(call, call.failure === undefined ? error : call.failure.error, now);
}

function fail(call: Call, error: unknown, now: number): void {
  if (call.place < 0) return;
  call.guard.counts.failed += 1;
  finish(call, now);
  call.reject(error);
}

/** Ends a call whose caller is about to hear of it: attempts that are still in flight have lost. */
function finish(call: Call, now: number): void {
  call.guard.watch.remove(call);
  const { main, hedge } = call;
  if (main.state === 'sent') giveUp(main, 'ignored', false, lost(), now);
  if (hedge?.state === 'sent') giveUp(hedge, 'ignored', false, lost(), now);
}

function lost(): unknown {
  return new DOMException('Another attempt of this call has ended it', 'AbortError');
}

/** Gives up an attempt whose function has not settled: its places are free at once, and its signal is aborted. */
function giveUp(
  attempt: CallAttempt,
  outcome: 'ignored' | 'failure',
  isTime: boolean,
  reason: unknown,
  now: number,
): void {
  attempt.call.guard.counts.abandoned += 1;
  release(attempt, { outcome, retryAfterMs: undefined }, isTime, reason, now);
  attempt.view?.abort(reason);
}

/** Ends a call before its function settles. */
function end(call: Call, outcome: 'ignored' | 'failure', error: unknown, now: number): void {
  if (call.place < 0) return;
  const { guard, main, hedge } = call;
  guard.watch.remove(call);
  call.reject(error);
  if (main.waiting !== undefined && guard.line.delete(main.waiting)) {
    main.state = 'done';
    if (guard.circuit !== undefined) leaveCircuit(guard.circuit, main.generation);
  }
  const isTime = outcome === 'failure';
  if (main.state === 'sent') giveUp(main, outcome, isTime, error, now);
  if (hedge?.state === 'sent') giveUp(hedge, outcome, isTime, error, now);
  drain(guard, now);
}

/** Ends a call whose caller has left: a failure of the upstream if its time was up. */
export function leave(call: Call, reason: unknown): void {
  const { counts, clock } = call.guard;
  const outcome = isTimeout(reason) ? 'failure' : 'ignored';
  counts[outcome === 'failure' ? 'timeouts' : 'left'] += 1;
  end(call, outcome, reason, clock.now());
}

/** Ends all calls of a guard. */
export function closeCalls(guard: GuardRecord): void {
  const now = guard.clock.now();
  const error = guardClosed(guard.options.name);
  guard.isHeld = true;
  for (const call of guard.watch.calls()) {
    guard.counts.failed += 1;
    end(call, 'ignored', error, now);
  }
}

/** Does what is due for some calls: first what may free places, then what waits for them. Nothing is sent at its deadline. */
export function due(calls: readonly Call[], now: number): void {
  const [first] = calls;
  if (first === undefined) return;
  const { guard } = first;
  for (const call of calls) if (isWaiting(call) && now >= call.until) giveUpWaiting(call, now);
  guard.isHeld = true;
  try {
    for (const call of calls) if (!isWaiting(call)) dueOf(call, now);
  } finally {
    guard.isHeld = false;
  }
  for (const call of calls) {
    drain(guard, now);
    if (isWaiting(call)) giveUpWaiting(call, now);
  }
  drain(guard, now);
}

function isWaiting({ main }: Call): boolean {
  return main.waiting?.list !== undefined;
}

function dueOf(call: Call, now: number): void {
  // What was done for another call may have ended this one.
  if (call.place < 0) return;
  if (now >= call.until) {
    expire(call, now);
    return;
  }
  timeOut(call.main, now);
  if (call.hedge !== undefined) timeOut(call.hedge, now);
  if (call.nextAt <= now && call.place >= 0) beginNext(call, now);
  if (call.place >= 0) setDue(call, now);
}

function giveUpWaiting(call: Call, now: number): void {
  const { guard, main } = call;
  const { waiting } = main;
  if (waiting === undefined || now < waiting.until) return;
  guard.line.delete(waiting);
  const isRate = sendableAt(guard.rate, 0, now) > now;
  refuse(main, isRate ? rateRefusal(guard, now) : placeRefusal(guard), now);
}

/** Sends a hedge beside the attempt that is in flight, or begins a retry. */
function beginNext(call: Call, now: number): void {
  call.nextAt = NEVER;
  if (call.main.state === 'sent') sendHedge(call, now);
  else {
    call.main = new CallAttempt(call, attemptsOf(call) + 1, 'retry');
    if (call.context === undefined) begin(call, call.main, now);
    else call.context.runInAsyncScope(begin, undefined, call, call.main, now);
  }
}

function timeOut(attempt: CallAttempt, now: number): void {
  const { call } = attempt;
  const { guard } = call;
  const { name, attemptTimeoutMs = NEVER } = guard.options;
  if (attempt.state !== 'sent' || now < attempt.startedAt + attemptTimeoutMs) return;
  const error = attemptTimedOut(name, attemptTimeoutMs);
  guard.counts.attemptTimeouts += 1;
  giveUp(attempt, 'failure', true, error, now);
  proceed(attempt, error, { outcome: 'failure', retryable: true, retryAfterMs: undefined }, now);
  drain(guard, now);
}

/** Ends a call whose deadline has passed. */
function expire(call: Call, now: number): void {
  const { counts, options } = call.guard;
  counts.timeouts += 1;
  end(call, 'failure', timedOut(options.name, call.failure?.error), now);
}

/** Sets the time of the next thing to do for a call. */
function setDue(call: Call, now: number): void {
  const { guard, main, hedge } = call;
  let at = Math.min(call.until, call.nextAt);
  const waiting = main.waiting;
  if (waiting?.list !== undefined) {
    at = Math.min(at, waiting.until);
    if (guard.line.first === waiting && hasPlace(guard.limit)) {
      at = Math.min(at, sendableAt(guard.rate, 0, now));
    }
  }
  const { attemptTimeoutMs } = guard.options;
  if (attemptTimeoutMs !== undefined) {
    if (main.state === 'sent') at = Math.min(at, main.startedAt + attemptTimeoutMs);
    if (hedge?.state === 'sent') at = Math.min(at, hedge.startedAt + attemptTimeoutMs);
  }
  guard.watch.setDue(call, at);
}
