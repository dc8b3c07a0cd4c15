import { noOtherWorker, noSuchWorker } from '../errors.ts';
import { slotOfTarget } from '../policy/choose-worker.ts';
import type { Call } from '../state/call.ts';
import type { PoolChanges, PoolState } from '../state/pool-state.ts';
import { settle } from './settle.ts';

/** Queues a new call. */
export function enqueue({ queue, changes }: PoolState, call: Call): void {
  queue.waiting.push(call, slotOfTarget(queue, call.target));
  changes.mayStart = true;
}

/** Queues a call again that its worker will never answer, before calls that came later; a call that may not wait is refused. */
export function requeue(pool: PoolState, call: Call): void {
  const { queue, changes, options } = pool;
  const { apartFrom, only, slot } = call.target;
  if (apartFrom !== undefined) {
    settle(pool, call, 'rejected', noOtherWorker(options.name, call.task, apartFrom));
  } else if (only !== undefined && slot === undefined) {
    settle(pool, call, 'rejected', noSuchWorker(options.name, call.task, only));
  } else {
    call.noteQueued();
    queue.departures.returned();
    queue.waiting.putBack(call, slotOfTarget(queue, call.target), options.clock.now());
    redistribute(changes);
    if (call.canLeave) changes.hasLostHope = true;
  }
}

/** Has waiting calls go to the least busy workers, or to new ones: one worker has given up a call without an answer. */
export function redistribute(changes: PoolChanges): void {
  changes.hasReturned = true;
  changes.mayStart = true;
}

/** Removes a call that waits. */
export function unqueue({ queue, changes }: PoolState, call: Call): void {
  queue.waiting.remove(call);
  changes.hasRoom = true;
}

/** Removes and returns all waiting calls, or the waiting calls that match. */
export function drainQueue(
  { queue, options }: PoolState,
  matches?: (call: Call) => boolean,
): Call[] {
  const { waiting } = queue;
  const all = waiting.drain();
  if (matches === undefined) return all;
  const now = options.clock.now();
  for (const call of all) {
    if (!matches(call)) waiting.putBack(call, slotOfTarget(queue, call.target), now);
  }
  return all.filter(matches);
}

/** Moves waiting calls to where their keys belong now, for transports that know owners of keys. */
export function rehome({ queue, changes }: PoolState): void {
  const { homeOf, waiting } = queue;
  if (homeOf === undefined || waiting.size === 0) return;
  const { since } = waiting;
  for (const call of waiting.drain()) {
    waiting.putBack(call, slotOfTarget(queue, call.target), since);
  }
  changes.hasReturned = true;
}

/** Lets any worker take the calls that wait for empty slots. */
export function releaseEmptySlots({ queue, changes }: PoolState): void {
  for (const { index, current } of queue.slots) {
    if (current === undefined) queue.waiting.release(index);
  }
  changes.hasReturned = true;
}
