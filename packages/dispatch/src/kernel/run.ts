import type { ForwardedCall, ForwardedRunOptions } from '../contract/dispatcher.ts';
import { dispatchChannel } from '../dispatch-channel.ts';
import type { DispatchError } from '../errors.ts';
import { checkRunOptions, checkTaskName } from './checks.ts';
import {
  circuitOpen,
  closed,
  draining,
  noOtherWorker,
  overloaded,
  queueFull,
  unknownTask,
} from './errors.ts';
import { admit, isBroken } from './policy/admit.ts';
import { slotOfTarget, workerFor } from './policy/choose-worker.ts';
import { Call, type CallPlace, listenersOf, type StreamKernel, type Target } from './state/call.ts';
import { traceCall } from './state/call-trace.ts';
import type { PoolState } from './state/pool-state.ts';
import { advance } from './steps/advance.ts';
import { begin } from './steps/assign.ts';
import { enqueue } from './steps/queue.ts';
import { post } from './steps/send.ts';
import { open } from './steps/settle.ts';
import { grow, occupy } from './steps/workers.ts';

const overloadedChannel = dispatchChannel('ticketing:dispatch:overloaded');

const NONE: ForwardedRunOptions = {};

/** Runs a task once; `place` has its caller, and its worker if it is a part of a broadcast. */
export function run(pool: PoolState, asked: ForwardedCall, place: CallPlace): Promise<unknown> {
  const result = accept(pool, asked, place);
  advance(pool);
  return result;
}

/** Takes a call in: a worker with room gets it now, else it waits. Rejects with the error of a call that is refused. */
function accept(pool: PoolState, asked: ForwardedCall, place: CallPlace): Promise<unknown> {
  const { task, input, options } = asked;
  const { owner, source, items, slot, only, starting } = place;
  const { calls, hold } = pool;
  const { name, clock } = pool.options;
  const counts = (slot ?? starting) === undefined ? calls.counts : calls.broadcasts;
  counts.asked += 1;
  const { key, apartFrom, signal, timeoutMs } = options ?? NONE;
  const target: Target = { key, slot, apartFrom, only: starting?.workerId ?? only };
  let worker = starting;
  try {
    if (starting === undefined) checkCall(pool, task, options);
    worker ??= workerFor(pool.queue, target, clock);
    if (worker === undefined) admitCall(pool, task, target, options);
  } catch (error) {
    counts.rejected += 1;
    return Promise.reject(error);
  }
  if (signal?.aborted) {
    counts.aborted += 1;
    return Promise.reject(signal.reason);
  }
  const enqueuedAt = clock.now();
  return new Promise((resolve, reject) => {
    const id = open(pool, owner, items !== undefined);
    const deadline = timeoutMs === undefined ? undefined : Math.ceil(Date.now() + timeoutMs);
    const trace = traceCall(name, task, id);
    const call = new Call(
      { id, task, input, options, target, enqueuedAt, counts, owner, deadline, trace },
      items,
      { resolve, reject, listeners: listenersOf(options ?? NONE, source) },
    );
    items?.begin(call, streamKernel(pool));
    if (!hold.isHeld) hold.set(true);
    if (options !== undefined) watch(pool, call, options, worker !== undefined);
    // A subscriber of its start may have aborted it.
    if (call.state !== 'queued') return;
    if (worker !== undefined) begin(pool, worker, call, enqueuedAt);
    else enqueue(pool, call);
    source?.whenAborted((reason) => abort(pool, call, reason));
  });
}

/** Watches the signal and the limits of a call, if it has any. */
function watch(
  { calls }: PoolState,
  call: Call,
  options: ForwardedRunOptions,
  goesOutNow: boolean,
): void {
  const { signal, timeoutMs, queueTimeoutMs } = options;
  if ((signal ?? timeoutMs ?? queueTimeoutMs) === undefined) return;
  const isStream = call.items !== undefined;
  // The consumer of a stream hears of an abort at once, however many calls there are.
  const active = isStream ? 0 : calls.active;
  const watched = calls.watches.create(call, options, active);
  call.setWatch(watched);
  calls.watches.begin(watched, goesOutNow && !isStream);
}

/** @throws TypeError or RangeError for wrong use; DispatchError if no call of this task is taken now */
function checkCall(
  { options: { name }, phase, staff }: PoolState,
  task: string,
  options: ForwardedRunOptions | undefined,
): void {
  checkTaskName(task);
  if (options !== undefined) checkRunOptions(options);
  if (phase === 'closed') throw closed(name, task);
  if (phase === 'draining') throw draining(name, task);
  if (staff.tasks?.has(task) === false) throw unknownTask(name, task, staff.tasks);
  if (isBroken(staff)) throw noWorker(name, task, options, staff.circuit.lastError);
}

/** Returns the error of a call that no worker takes, after its caller has been told. @throws what the caller's listener throws */
function noWorker(
  name: string,
  task: string,
  options: ForwardedRunOptions | undefined,
  reason: unknown,
): DispatchError {
  const error = circuitOpen(name, reason, task);
  options?.onNoWorker?.(error);
  return error;
}

/** Admits a call that has to wait. @throws DispatchError `ERR_QUEUE_FULL`; `ERR_OVERLOADED` if it would wait longer than it may */
function admitCall(
  pool: PoolState,
  task: string,
  target: Target,
  options: ForwardedRunOptions | undefined,
): void {
  const { queue, calls } = pool;
  const { name, maxQueue, clock } = pool.options;
  const decision = admit(queue, { task, target, options }, clock);
  switch (decision.kind) {
    case 'no-worker':
      throw noWorker(name, task, options, decision.error);
    case 'apart':
      throw noOtherWorker(name, task, target.apartFrom ?? 0);
    case 'full':
      // One more worker will have room.
      help(pool, target);
      throw queueFull(name, task, maxQueue);
    case 'overloaded': {
      if (target.slot === undefined) calls.counts.refused += 1;
      const { option, limit, expectedWaitMs, retryAfterMs } = decision;
      if (overloadedChannel.hasSubscribers) {
        overloadedChannel.publish({ name, task, expectedWaitMs, retryAfterMs });
      }
      throw overloaded(option, { name, task, limit, expectedWaitMs, retryAfterMs });
    }
  }
}

/** Starts one more worker for a target, if a slot is empty. */
function help(pool: PoolState, target: Target): void {
  const slot = slotOfTarget(pool.queue, target);
  if (slot === undefined) grow(pool);
  else occupy(pool, slot);
}

function abort({ emit }: PoolState, call: Call, reason: unknown): void {
  emit({ kind: 'over', call, over: { why: 'aborted', reason } });
}

/** Returns the actions of a stream on its call. */
function streamKernel(pool: PoolState): StreamKernel {
  return {
    grant({ worker, seq, state }, items) {
      if (state !== 'sent' || worker === undefined) return;
      pool.polling.granted();
      post(pool, worker, { kind: 'credit', seq, items }, pool.options.clock.now());
    },
    giveUp(call, error, ending) {
      if (ending === 'failed') pool.emit({ kind: 'threw', call, error });
      else abort(pool, call, error);
    },
  };
}
