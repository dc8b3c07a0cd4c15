import type { FullVerdict } from '../classify.ts';
import { type Call, CallAttempt, type GuardRecord } from '../guard-record.ts';
import { withdraw } from '../state/budget.ts';
import { type Circuit, circuitRetryAfterMs, enterCircuit } from '../state/circuit.ts';
import { medianOf } from '../state/latencies.ts';
import { hasPlace } from '../state/limit.ts';
import { sendableAt } from '../state/rate.ts';
import { fail, refuse } from './call-ends.ts';
import { prepareToWait, wait } from './line.ts';
import { publishCircuit } from './published.ts';
import { circuitRefusal, placeRefusal, rateRefusal } from './refusals.ts';
import { send, sendInContext } from './send.ts';
import { setDue } from './set-due.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** Begins a first attempt or a retry: it is sent, waits in the line, or is refused. */
export function begin(attempt: CallAttempt, now: number): void {
  const { call } = attempt;
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

function enter(guard: GuardRecord, circuit: Circuit, attempt: CallAttempt, now: number): boolean {
  const { generation, state } = circuit;
  if (!enterCircuit(circuit, now)) return false;
  attempt.generation = circuit.generation;
  if (generation !== circuit.generation) publishCircuit(guard, circuit, state.kind, now);
  return true;
}

/** Continues a call after a failed attempt: waits for the attempt beside it, retries, or rejects. */
export function proceed(
  attempt: CallAttempt,
  error: unknown,
  verdict: FullVerdict,
  now: number,
): void {
  const { call } = attempt;
  if (!call.guard.watch.has(call)) return;
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

/** Sends a hedge beside the attempt that is in flight, or begins a retry. */
export function beginNext(call: Call, now: number): void {
  call.nextAt = NEVER;
  if (call.main.state === 'sent') {
    sendHedge(call, now);
    return;
  }
  call.main = new CallAttempt(call, attemptsOf(call) + 1, 'retry');
  if (call.context === undefined) begin(call.main, now);
  else call.context.runInAsyncScope(begin, undefined, call.main, now);
}

/** Sends a second attempt beside a slow one, unless any part would refuse it or let it wait. */
function sendHedge(call: Call, now: number): void {
  const { budget, circuit, counts, limit, line, rate } = call.guard;
  if (budget === undefined) return;
  if (circuit !== undefined && circuit.state.kind !== 'closed') return;
  if (line.size > 0 || !hasPlace(limit) || sendableAt(rate, 0, now) > now) return;
  if (!withdraw(budget, now)) {
    counts.noBudget += 1;
    return;
  }
  const hedge = new CallAttempt(call, attemptsOf(call) + 1, 'hedge');
  if (circuit !== undefined) hedge.generation = circuit.generation;
  call.hedge = hedge;
  sendInContext(hedge, now);
}

function attemptsOf({ main, hedge }: Call): number {
  return Math.max(main.number, hedge === undefined ? 0 : hedge.number);
}
