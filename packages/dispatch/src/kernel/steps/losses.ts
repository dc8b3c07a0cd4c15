import type { WorkerEnd } from '../../contract/transport.ts';
import { circuitOpen, workerLost } from '../errors.ts';
import type { Call, PoolWorker } from '../state/call.ts';
import { traceRetry } from '../state/call-trace.ts';
import { countReady, type PoolState } from '../state/pool-state.ts';
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

/** No worker will come for empty slots: the workers that are left take the calls, or all calls are rejected. */
export function loseHope(pool: PoolState): void {
  const { circuit, slots } = pool.staff;
  releaseEmptySlots(pool);
  if (countReady(slots) > 0) return;
  for (const call of drainQueue(pool)) {
    settle(pool, call, 'rejected', circuitOpen(pool.options.name, circuit.lastError, call.task));
  }
}
