import { closed } from './call-errors.ts';
import { addSlots } from './slots.ts';
import type { WorkerPool } from './worker-pool.ts';

/**
 * Gives a pool so many places, each with a worker. Workers of the last places finish what they have, then they stop.
 * Resolves when as many workers as are kept take tasks and those of places given up are gone.
 *
 * @throws DispatchError `ERR_CIRCUIT_OPEN`, `ERR_CLOSED`
 */
export async function resize(pool: WorkerPool, name: string, count: number): Promise<void> {
  if (pool.isClosed) throw closed(name);
  pool.min = count;
  const removed = pool.slots.splice(count);
  addSlots(pool.slots, count);
  const leaving = removed.flatMap((slot) => pool.vacate(slot));
  const gone = leaving.map(
    (worker) =>
      new Promise<void>((resolve) => {
        worker.onGone = resolve;
      }),
  );
  pool.fill();
  pool.tellReady();
  await Promise.all([pool.whenReady(), ...gone]);
}
