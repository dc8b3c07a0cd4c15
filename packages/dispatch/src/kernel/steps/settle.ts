import { type TimeoutCode, timedOut } from '../errors.ts';
import type { Call, CallOwner, LateBy, PoolWorker } from '../state/call.ts';
import { traceSettled } from '../state/call-trace.ts';
import type { Ending } from '../state/counts.ts';
import { countReady, type PoolState, touch } from '../state/pool-state.ts';

/** Answers the caller of a call, once. */
export function settle(pool: PoolState, call: Call, ending: Ending, value: unknown): void {
  if (call.state === 'settled') return;
  const { calls, options } = pool;
  const { counts, owner } = call.asked;
  call.noteSettled();
  calls.active -= 1;
  if (call.items !== undefined) calls.streams -= 1;
  counts[ending] += 1;
  if (owner !== undefined) {
    owner.active -= 1;
    if (ending === 'completed' || ending === 'failed') owner.answered += 1;
  }
  if (call.watch !== undefined) calls.watches.end(call.watch);
  traceSettled(call, ending, value, options.clock);
  call.answer(ending, value, pool.unsent.isApart);
}

/** Counts a call as open. @returns its number */
export function open(
  { calls }: PoolState,
  owner: CallOwner | undefined,
  isStream: boolean,
): number {
  calls.active += 1;
  if (isStream) calls.streams += 1;
  if (owner !== undefined) owner.active += 1;
  calls.lastId += 1;
  return calls.lastId;
}

/** Answers a call whose time passed before it was started: no worker has it. */
export function settleLate(pool: PoolState, call: Call, { code, limit }: LateBy): void {
  settle(pool, call, 'aborted', lateError(pool, call, code, limit));
}

/** Returns the error of a call whose limit has passed. */
export function lateError(pool: PoolState, call: Call, code: TimeoutCode, limit: number): Error {
  const { task } = call;
  return timedOut(code, pool.options.name, { task, limit, cause: whyUnbegun(pool, call) });
}

/** Takes a call off its worker, which has nothing more to do with it. */
export function release(pool: PoolState, worker: PoolWorker, call: Call): void {
  worker.calls.delete(call.seq);
  call.stall(false);
  stopTimer(pool, call);
  touch(pool, worker);
}

/** Stops the timer that a call has for its worker. */
export function stopTimer({ options }: PoolState, call: Call): void {
  if (call.workerTimer === undefined) return;
  options.clock.clearTimeout(call.workerTimer);
  call.setTimer(undefined);
}

/** Returns why a call has not begun, if no worker takes any. */
function whyUnbegun({ transport, staff }: PoolState, { state }: Call): unknown {
  if (state !== 'queued' || countReady(staff.slots) > 0) return undefined;
  return transport.whyUnready?.() ?? staff.circuit.lastError;
}
