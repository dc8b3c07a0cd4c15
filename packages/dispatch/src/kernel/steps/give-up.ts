import { timedOut } from '../errors.ts';
import { startFairTimer } from '../limits/fair-timer.ts';
import type { Over } from '../limits/watches.ts';
import type { Call, CallOwner, PoolWorker } from '../state/call.ts';
import type { Ending } from '../state/counts.ts';
import type { Grace, PoolState } from '../state/pool-state.ts';
import { drainQueue, unqueue } from './queue.ts';
import { ask, post } from './send.ts';
import { lateError, release, settle, stopTimer } from './settle.ts';
import { kill } from './workers.ts';

/** Poll interval for an abandoned task that waits behind others. */
const MIN_RECHECK_MS = 10;
/** Least time in which a worker that lives must show it, before it is killed for a task. */
const LEAST_ANSWER_MS = 100;
/** Milliseconds until a worker that may be at a breakpoint is judged again. */
const INSPECTED_RECHECK_MS = 1000;

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
  call.noteAbandoned();
  post(pool, worker, { kind: 'abort', seq, reason: error }, pool.options.clock.now());
  // While closing, the worker as a whole has its grace to stop.
  if (pool.phase !== 'closed') startGrace(pool, call, pool.options.abortGraceMs);
}

/** Gives up every open call, or every open call of an owner. */
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
  // A retried call has started in time once.
  const wasInTime = call.losses > 0 || (call.state === 'sent' && hasStarted);
  if (over.why === 'ERR_QUEUE_TIMEOUT' && wasInTime) return;
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

/**
 * Gives an abandoned task `ms` to settle. A worker that would be killed for it is asked half-way whether it lives. One that is
 * silent may be paused, or late: it has the time once more, and if it answers in it, so has the task.
 */
function startGrace(pool: PoolState, call: Call, ms: number): void {
  wait(pool, call, ms / 2, { stage: 'first half', ms, asked: undefined });
}

/** A stage of the grace of a task has passed, and the task has not settled. */
export function gracePassed(pool: PoolState, call: Call, grace: Grace): void {
  const { worker } = call;
  if (worker === undefined) return;
  const hasStarted = call.seq <= worker.started;
  const isKilled = isKilledFor(pool, worker);
  const hasAnswered = grace.asked !== undefined && worker.health.heard !== grace.asked;
  const { ms } = grace;
  switch (grace.stage) {
    case 'first half': {
      const asked = hasStarted && isKilled ? askNow(pool, worker) : undefined;
      wait(pool, call, ms / 2, { stage: 'second half', ms, asked });
      return;
    }
    case 'second half': {
      // Other tasks hold it up: it has its grace from its start.
      if (!hasStarted) startGrace(pool, call, Math.max(ms, MIN_RECHECK_MS));
      else if (!isKilled || hasAnswered) stuck(pool, worker, call);
      else {
        const asked = grace.asked ?? askNow(pool, worker);
        wait(pool, call, Math.max(ms, LEAST_ANSWER_MS), { stage: 'answer', ms, asked });
      }
      return;
    }
    case 'answer':
      if (hasAnswered) wait(pool, call, ms, { stage: 'last', ms, asked: grace.asked });
      else stuck(pool, worker, call);
      return;
    case 'last':
      stuck(pool, worker, call);
  }
}

/** Asks a worker for a sign of life. @returns the messages that had come from it before */
function askNow(pool: PoolState, worker: PoolWorker): number {
  const { heard } = worker.health;
  ask(pool, worker);
  return heard;
}

/** An abandoned task did not settle within its grace. */
function stuck(pool: PoolState, worker: PoolWorker, call: Call): void {
  if (worker.isInspected) startGrace(pool, call, INSPECTED_RECHECK_MS);
  else if (isKilledFor(pool, worker)) {
    if (worker.phase !== 'killed') pool.staff.counts.killed += 1;
    kill(worker);
  } else {
    if (worker.isServing) worker.health.overdue();
    release(pool, worker, call);
  }
}

/** Returns true if a worker is killed for a task. A worker that serves requests is not: its health check decides. */
function isKilledFor({ transport }: PoolState, { isServing }: PoolWorker): boolean {
  return transport.capabilities.hardKill && !isServing;
}

/** Replaces the timer that a call has for its worker. */
function wait(pool: PoolState, call: Call, ms: number, grace: Grace): void {
  stopTimer(pool, call);
  startFairTimer({
    clock: pool.options.clock,
    ms,
    set: (timer) => call.setTimer(timer),
    passed: () => pool.emit({ kind: 'grace', call, grace }),
  });
}
