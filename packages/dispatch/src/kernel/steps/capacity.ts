import { nextImmediate } from '../../soon.ts';
import { hasRoomFor, isBroken, queueRoom, usualWaitMs } from '../policy/admit.ts';
import type { PoolState } from '../state/pool-state.ts';

/** Lets through as many waiting callers as there is room for, in the order in which they came. */
export function wakeWaiters(pool: PoolState): void {
  const { waiters } = pool.capacity;
  for (const waiter of waiters) {
    if (hasRoom(pool, waiter.key)) {
      grant(pool);
      waiter.resolve();
    } else if (waiter.key === undefined) return;
  }
}

/** Returns true if there is room for one more call, beside the calls that callers were let through for. A broken pool counts as room: it refuses a call at once. */
export function hasRoom(pool: PoolState, key: string | undefined): boolean {
  const { queue, capacity, options } = pool;
  const { clock } = options;
  if (isBroken(pool.staff)) return true;
  if (key !== undefined) return hasRoomFor(queue, key, capacity.granted, clock);
  if (queueRoom(queue) <= capacity.granted) return false;
  return (usualWaitMs(queue, clock) ?? 0) <= options.maxWaitMs;
}

/** Lets a caller through. It keeps its room until it calls, at most until the end of this event loop turn. */
export function grant(pool: PoolState): void {
  const { capacity } = pool;
  if (capacity.granted === 0) {
    nextImmediate(() => {
      capacity.granted = 0;
      wakeWaiters(pool);
    });
  }
  capacity.granted += 1;
}

/** A call was made, perhaps by a caller that was let through. */
export function useGrant({ capacity }: PoolState): void {
  if (capacity.granted > 0) capacity.granted -= 1;
}
