import type { RunOptions } from '../../contract/dispatcher.ts';
import { anyWorker, type PoolWorker, type Target } from '../state/call.ts';
import { countReady, isTaken, type PoolQueue, type PoolStaff } from '../state/pool-state.ts';
import type { StartError } from '../state/worker/worker.ts';
import { type Now, roomOf, slotOfTarget, workerFor } from './choose-worker.ts';

/** Decision about a call that has to wait. */
export type Admittance =
  | { readonly kind: 'wait' }
  | { readonly kind: 'apart' }
  | { readonly kind: 'full' }
  /** No worker is there, and none comes soon: the caller runs the call elsewhere. */
  | { readonly kind: 'no-worker'; readonly error: unknown }
  | {
      readonly kind: 'overloaded';
      /** Option that its wait would exceed, and the value of that. */
      readonly option: string;
      readonly limit: number;
      readonly expectedWaitMs: number;
      readonly retryAfterMs: number;
    };

const WAIT: Admittance = { kind: 'wait' };

/** Decides whether a call may wait. A call at the head of the queue always may, because it is next. */
export function admit(
  queue: PoolQueue,
  call: {
    readonly task: string;
    readonly target: Target;
    readonly options: RunOptions | undefined;
  },
  clock: Now,
): Admittance {
  const { target, options } = call;
  if (target.apartFrom !== undefined) return { kind: 'apart' };
  if (options?.onNoWorker !== undefined) {
    const reason = whyNoWorker(queue);
    if (reason !== undefined) return { kind: 'no-worker', error: reason.error };
  }
  if (queue.waiting.size >= queue.options.maxQueue) return { kind: 'full' };
  const { option, limit, allowedMs } = waitLimit(queue, call.task, options);
  if (allowedMs === Number.POSITIVE_INFINITY) return WAIT;
  const waitMs = expectedWaitMs(queue, target, options?.priority ?? 0, clock.now());
  if (waitMs === undefined || waitMs === 0 || waitMs <= allowedMs) return WAIT;
  // By then the queue may be as long as the call may wait.
  const retryAfterMs = Math.max(1, Math.ceil(waitMs - Math.max(0, allowedMs)));
  return { kind: 'overloaded', option, limit, expectedWaitMs: Math.ceil(waitMs), retryAfterMs };
}

/** Returns true if calls are refused: no worker is ready, and the circuit is not closed. */
export function isBroken({ circuit, slots }: Pick<PoolStaff, 'circuit' | 'slots'>): boolean {
  return circuit.state !== 'closed' && countReady(slots) === 0;
}

/**
 * Returns why no worker comes soon, as the starting workers have reported; undefined if one takes calls, or may soon. A worker that
 * has asked for a successor, and takes no calls, counts as gone.
 */
export function whyNoWorker({ slots }: Pick<PoolQueue, 'slots'>): StartError | undefined {
  let reason: StartError | undefined;
  for (const { current, next } of slots) {
    if (current?.phase === 'ready' && !hasLeft(current)) return undefined;
    if (next === undefined) continue;
    const { error } = next.starting;
    if (error?.final !== true) return undefined;
    reason ??= error;
  }
  return reason;
}

function hasLeft({ health, admission }: PoolWorker): boolean {
  return health.asksRecycle && !admission.isOpen;
}

/** Returns how many more calls without a key would be taken. */
export function queueRoom({ slots, waiting, options }: PoolQueue): number {
  return options.maxQueue - waiting.size + roomOf(slots);
}

/** Returns true if a call with a key would be taken besides `others`, of which all may be for its worker. */
export function hasRoomFor(queue: PoolQueue, key: string, others: number, clock: Now): boolean {
  const target = { ...anyWorker, key };
  if (others === 0 && workerFor(queue, target, clock) !== undefined) return true;
  if (queue.options.maxQueue - queue.waiting.size <= others) return false;
  return (expectedWaitMs(queue, target, 0, clock.now()) ?? 0) <= queue.options.maxWaitMs;
}

/** Returns the milliseconds that a call without options would wait for a worker; undefined while nothing is known. */
export function usualWaitMs(queue: PoolQueue, clock: Now): number | undefined {
  const isNext = workerFor(queue, anyWorker, clock) !== undefined;
  return isNext ? 0 : expectedWaitMs(queue, anyWorker, 0, clock.now());
}

/** Returns the milliseconds that a call would wait; 0 if none goes before it, undefined while nothing is known. */
function expectedWaitMs(
  queue: PoolQueue,
  target: Target,
  priority: number,
  now: number,
): number | undefined {
  const { slots, waiting, departures } = queue;
  const own = slotOfTarget(queue, target);
  let ready = 0;
  let workers = 0;
  let holds = 0;
  for (const slot of slots) {
    if (isTaken(slot)) workers += 1;
    if (slot.current?.phase !== 'ready') continue;
    ready += 1;
    holds += slot.current.holds;
  }
  // The time that a worker takes to start is unknown.
  if (ready === 0) return undefined;
  if (own !== undefined && slots[own]?.current?.phase !== 'ready') return undefined;
  const ahead = waiting.ahead(own, { priority, now, workers });
  if (ahead === 0) return 0;
  const inFlight = (holds * workers) / ready;
  const interval = departures.intervalMs(workers, inFlight, now, waiting.since);
  return interval === undefined ? undefined : ahead * interval;
}

/** Returns the option that ends a wait first; `timeoutMs` also covers the time that the task takes at its worker. */
function waitLimit(
  { departures, options: { maxWaitMs } }: PoolQueue,
  task: string,
  options: RunOptions | undefined,
): { readonly option: string; readonly limit: number; readonly allowedMs: number } {
  let least = { option: 'maxWaitMs', limit: maxWaitMs, allowedMs: maxWaitMs };
  const { timeoutMs, queueTimeoutMs } = options ?? {};
  if (queueTimeoutMs !== undefined && queueTimeoutMs < least.allowedMs) {
    least = { option: 'queueTimeoutMs', limit: queueTimeoutMs, allowedMs: queueTimeoutMs };
  }
  if (timeoutMs !== undefined) {
    const allowedMs = timeoutMs - departures.heldMs(task);
    if (allowedMs < least.allowedMs) least = { option: 'timeoutMs', limit: timeoutMs, allowedMs };
  }
  return least;
}
