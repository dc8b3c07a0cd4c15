import { timedOut } from '../errors.ts';
import type { Over } from '../limits/watches.ts';
import type { Call, CallOwner } from '../state/call.ts';
import type { Ending } from '../state/counts.ts';
import type { PoolState } from '../state/pool-state.ts';
import { startGrace } from './grace.ts';
import { drainQueue, unqueue } from './queue.ts';
import { post } from './send.ts';
import { lateError, release, settle } from './settle.ts';

/** Answers the caller now, and aborts the task that its worker may have started. */
export function giveUp(pool: PoolState, call: Call, error: unknown, ending: Ending): void {
  const { worker, seq } = call;
  if (call.state === 'queued') {
    unqueue(pool, call);
    settle(pool, call, ending, error);
    return;
  }
  if (call.state !== 'sent' || worker === undefined) return;
  settle(pool, call, ending, error);
  if (worker.outbox.takeBack(seq)) {
    release(pool, worker, call);
    return;
  }
  call.abandon();
  post(pool, worker, { kind: 'abort', seq, reason: error }, pool.options.clock.now());
  // While closing, the worker as a whole has its grace to stop.
  if (pool.phase !== 'closed') startGrace(pool, call, pool.options.abortGraceMs);
}

/** Gives up every open call, or those of an owner. */
export function giveUpAll(
  pool: PoolState,
  errorOf: (task: string) => unknown,
  ending: Ending,
  owner?: CallOwner,
): void {
  const matches = (call: Call): boolean => owner === undefined || call.asked.owner === owner;
  for (const call of drainQueue(pool, matches)) settle(pool, call, ending, errorOf(call.task));
  for (const { calls } of pool.staff.live) {
    for (const call of [...calls].filter(matches)) giveUp(pool, call, errorOf(call.task), ending);
  }
  pool.changes.hasRoom = true;
}

/** The signal or a limit of a call has ended it. */
export function callOver(pool: PoolState, call: Call, over: Over): void {
  if (over.why === 'aborted') {
    giveUp(pool, call, over.reason, 'aborted');
    return;
  }
  const hasStarted = call.seq <= (call.worker?.started ?? 0);
  if (over.why === 'ERR_QUEUE_TIMEOUT' && call.state === 'sent' && hasStarted) return;
  giveUp(pool, call, lateError(pool, call, over.why, over.ms), 'aborted');
}

/** A task has run for longer than `runTimeoutMs`. */
export function runLate(pool: PoolState, call: Call): void {
  const { task, options } = call;
  const error = timedOut('ERR_RUN_TIMEOUT', pool.options.name, {
    task,
    limit: options?.runTimeoutMs ?? 0,
  });
  giveUp(pool, call, error, 'aborted');
}
