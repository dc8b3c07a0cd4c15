import type { ReloadOptions } from '../../contract/dispatcher.ts';
import { DispatchError } from '../../errors.ts';
import { isTaken, type PoolState } from '../state/pool-state.ts';
import { replace, useModule } from '../steps/workers.ts';

/**
 * Replaces the worker of each slot, `parallel` at a time, and fills empty slots below `min`. Each old worker stays until its
 * successor is ready, so the number of ready workers does not fall.
 *
 * @throws the error of the first new worker that failed to start, one that ended at its start twice, once concurrent starts have settled. The other slots keep
 *   their workers; if none was replaced, later workers load the old module
 */
export async function reloadWorkers(
  pool: PoolState,
  { module, parallel = 1 }: ReloadOptions,
): Promise<void> {
  const { staff } = pool;
  const before = staff.module;
  if (module !== undefined) useModule(pool, module);
  let replaced = 0;
  let failure: { readonly error: unknown } | undefined;
  // One iterator for all: each takes the next slot.
  const slots = staff.slots.values();
  const replaceSome = async (): Promise<void> => {
    for (const slot of slots) {
      if (slot.index >= staff.min && !isTaken(slot)) continue;
      slot.current?.health.setReplaced(true);
      try {
        await replace(pool, slot).catch((error: unknown) => {
          // A new worker that dies once, as for want of memory, is no sign for the next one: another try, and no more.
          const isLost = DispatchError.is(error) && error.code === 'ERR_WORKER_LOST';
          if (!isLost || slot.current === undefined || pool.phase === 'closed') throw error;
          return replace(pool, slot);
        });
        replaced += 1;
      } catch (error) {
        failure ??= { error };
      }
      if (failure !== undefined) return;
    }
  };
  const atOnce = Math.min(parallel, staff.slots.length);
  await Promise.all(Array.from({ length: atOnce }, replaceSome));
  if (failure === undefined) return;
  if (replaced === 0) useModule(pool, before);
  throw failure.error;
}
