import type { WorkerEnd } from '../../contract/transport.ts';
import { circuitOpen, workerLost } from '../errors.ts';
import { isBroken, whyNoWorker } from '../policy/admit.ts';
import type { Call, PoolWorker } from '../state/call.ts';
import { traceRetry } from '../state/call-trace.ts';
import type { PoolState } from '../state/pool-state.ts';
import { drainQueue, releaseEmptySlots, requeue } from './queue.ts';
import { settle, stopTimer } from './settle.ts';

/** Handles the calls of a worker that has ended: a call that had not begun waits again, any other has its next attempt. */
export function loseCalls(pool: PoolState, worker: PoolWorker, end: WorkerEnd): void {
  const { started } = worker;
  const { transfer: canMove } = pool.transport.capabilities;
  const pid = worker.handle?.pid;
  // The last one first, so that each goes back before those after it.
  const calls = [...worker.calls].reverse();
  worker.calls.clear();
  for (const call of calls) {
    stopTimer(pool, call);
    if (call.state === 'abandoned') call.noteSettled();
    else if (call.seq > started && !(canMove && call.isSpent)) requeue(pool, call);
    else loseCall(pool, worker, call, () => workerLost(pool.options.name, { pid, end }, call.task));
  }
}

/** Gives a call that may have run, and whose worker cannot answer, its next attempt, if it has one. */
export function loseCall(
  pool: PoolState,
  worker: PoolWorker,
  call: Call,
  errorOf: () => unknown,
): void {
  if (call.items?.hasBegun || call.losses >= (call.options?.retries ?? 0)) {
    settle(pool, call, 'rejected', errorOf());
    return;
  }
  traceRetry(call, worker.workerId, pool.options.clock.now());
  call.noteLost();
  call.asked.counts.retried += 1;
  requeue(pool, call);
}

/**
 * No worker will come for empty slots: the workers that are left take the calls, or all calls are rejected. While one may still come,
 * only the calls are rejected that can run elsewhere, and only if the starting workers have reported that none comes soon.
 */
export function loseHope(pool: PoolState): void {
  const { staff, queue } = pool;
  if (staff.circuit.state !== 'closed') releaseEmptySlots(pool);
  if (isBroken(staff)) {
    for (const call of drainQueue(pool)) refuse(pool, call, staff.circuit.lastError);
    return;
  }
  const reason = whyNoWorker(queue);
  if (reason === undefined) return;
  for (const call of drainQueue(pool, ({ canLeave }) => canLeave)) refuse(pool, call, reason.error);
}

/** Rejects a call that waits, after its caller has been told that it may run elsewhere. */
function refuse(pool: PoolState, call: Call, reason: unknown): void {
  const error = circuitOpen(pool.options.name, reason, call.task);
  try {
    call.noWorker(error);
    settle(pool, call, 'rejected', error);
  } catch (thrown) {
    settle(pool, call, 'failed', thrown);
  }
}
