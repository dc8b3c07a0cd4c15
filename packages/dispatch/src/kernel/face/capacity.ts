import { closed } from '../errors.ts';
import type { CapacityWaiter, PoolState } from '../state/pool-state.ts';
import { advance } from '../steps/advance.ts';
import { grant, hasRoom, wakeWaiters } from '../steps/capacity.ts';

/** Resolves when there is room for one more call, with a key or without one. */
export function waitForCapacity(
  pool: PoolState,
  signal: AbortSignal | undefined,
  key: string | undefined,
): Promise<void> {
  const { waiters } = pool.capacity;
  if (signal?.aborted) return Promise.reject(signal.reason);
  if (pool.phase === 'closed') return Promise.reject(closed(pool.options.name));
  if (waiters.size === 0 && hasRoom(pool, key)) {
    grant(pool);
    return Promise.resolve();
  }
  return new Promise((resolve, reject) => {
    const leave = (): void => waiter.reject(signal?.reason);
    const end = (): void => {
      waiters.delete(waiter);
      signal?.removeEventListener('abort', leave);
      advance(pool);
    };
    const waiter: CapacityWaiter = {
      key,
      resolve: () => {
        end();
        resolve();
      },
      reject: (error) => {
        end();
        reject(error);
      },
    };
    waiters.add(waiter);
    signal?.addEventListener('abort', leave, { once: true });
    pool.hold.set(true);
    // Those before it may wait for the workers of their keys.
    wakeWaiters(pool);
    // One more worker has room.
    pool.changes.mayStart = true;
    advance(pool);
  });
}

/** Rejects all callers that wait. */
export function closeCapacity({ capacity }: PoolState, error: unknown): void {
  for (const waiter of capacity.waiters) waiter.reject(error);
}
