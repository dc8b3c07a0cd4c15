import { nextTick } from '../../soon.ts';
import { noSuchWorker } from '../errors.ts';
import { bestWorker, leavesToOthers } from '../policy/choose-worker.ts';
import type { Call, PoolWorker } from '../state/call.ts';
import type { PoolState } from '../state/pool-state.ts';
import { checkHeldUpSoon } from './recall.ts';
import { sendFirst, sendSoon } from './send.ts';
import { settle, settleLate } from './settle.ts';

/** Gives a worker a call that has not waited. */
export function begin(pool: PoolState, worker: PoolWorker, call: Call, now: number): void {
  give(pool, worker, call, now);
  sendFirst(pool, worker, now);
}

/** Fills one worker with waiting calls. */
export function fillWorker(pool: PoolState, worker: PoolWorker): void {
  const { waiting } = pool.queue;
  const { load } = worker;
  if (waiting.size === 0) {
    // By the time that calls wait it is full: its departures count from then on.
    if (load.servedAt === undefined) load.served(Number.NEGATIVE_INFINITY);
    return;
  }
  const now = pool.options.clock.now();
  let taken = 0;
  while (worker.hasRoom && giveNext(pool, worker, now)) taken += 1;
  measure(pool, worker, taken, now);
  if (waiting.hasFor(worker.slot)) load.starve();
}

/** Fills all workers: the next call goes to the least busy one. */
export function fillAll(pool: PoolState): void {
  const { queue, staff, options } = pool;
  const { waiting } = queue;
  if (waiting.size === 0) return;
  const now = options.clock.now();
  const next = (): PoolWorker | undefined =>
    bestWorker(queue, { now: () => now }, ({ slot }) => waiting.hasFor(slot));
  for (let worker = next(); worker !== undefined; worker = next()) {
    // It only fills the worker: no departure is measured.
    if (giveNext(pool, worker, now)) worker.load.served(now);
  }
  for (const { index, current } of staff.slots) {
    if (current?.phase !== 'ready') continue;
    if (current.admission.keysOnly) while (current.hasRoom && giveNext(pool, current, now));
    if (current.hasRoom) current.load.served(now);
    if (waiting.hasFor(index)) current.load.starve();
  }
}

function give(pool: PoolState, worker: PoolWorker, call: Call, now: number): void {
  const seq = worker.admission.give();
  const { id, task, input, options, deadline, counts, enqueuedAt } = call.asked;
  call.noteSent(worker, seq, now);
  worker.calls.add(call);
  worker.outbox.post(
    {
      kind: 'run',
      seq,
      id,
      task,
      input,
      attempt: call.attempt,
      deadline,
      metadata: call.metadata,
      transfer: options?.transfer,
      announce: options?.runTimeoutMs !== undefined,
      credit: call.items?.window,
      json: worker.reports.jsonTasks?.has(task),
    },
    now,
  );
  counts.wait.record(now - enqueuedAt);
  checkHeldUpSoon(pool, worker);
  try {
    call.given(worker.workerId);
  } catch (error) {
    nextTick(() => pool.emit({ kind: 'threw', call, error }));
  }
}

/** Gives a worker the next waiting call that is not late. @returns whether there was one */
function giveNext(pool: PoolState, worker: PoolWorker, now: number): boolean {
  const { queue, staff, options } = pool;
  for (;;) {
    const call = queue.waiting.shift(worker.slot, now, leavesToOthers(worker, staff.slots));
    if (call === undefined) return false;
    const { only } = call.target;
    const signal = call.options?.signal;
    const limit = call.lateBy(now);
    if (only !== undefined && only !== worker.workerId) {
      settle(pool, call, 'rejected', noSuchWorker(options.name, call.task, only));
    } else if (signal?.aborted) settle(pool, call, 'aborted', signal.reason);
    else if (limit !== undefined) settleLate(pool, call, limit);
    else {
      give(pool, worker, call, now);
      sendSoon(pool, worker, now);
      return true;
    }
  }
}

/** Measures departures; the first calls of a worker only fill it. */
function measure({ queue }: PoolState, worker: PoolWorker, taken: number, now: number): void {
  if (taken === 0 && !worker.hasRoom) return;
  const { servedAt } = worker.load;
  const { departures, waiting } = queue;
  worker.load.served(now);
  if (taken === 0) return;
  if (servedAt === undefined) departures.filled(now);
  else departures.left(taken, now - Math.max(servedAt, waiting.since), now);
}
