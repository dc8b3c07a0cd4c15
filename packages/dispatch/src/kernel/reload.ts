import type { ReloadOptions } from '../contract/dispatcher.ts';
import type { WorkerPool } from './worker-pool.ts';

/**
 * Replaces the worker of each place, `parallel` at a time; a place that is kept and has none gets one. Each old worker
 * stays until its successor takes tasks, so as many are ready as before.
 *
 * @throws what the first new worker that failed to start failed with, once those that start at that time have settled; places
 *   that come after it keep their workers, and what starts later has the module of before, unless a place has been replaced
 */
export async function reload(
  pool: WorkerPool,
  { module, parallel = 1 }: ReloadOptions,
): Promise<void> {
  const before = pool.module;
  if (module !== undefined) pool.module = module;
  let replaced = 0;
  let failure: { readonly error: unknown } | undefined;
  // One for all: each goes on with the next place.
  const slots = pool.slots.values();
  const replaceSome = async (): Promise<void> => {
    for (const slot of slots) {
      if (!pool.isUsed(slot)) continue;
      if (slot.current !== undefined) slot.current.replaced = true;
      try {
        await pool.replace(slot);
        replaced += 1;
      } catch (error) {
        failure ??= { error };
      }
      if (failure !== undefined) return;
    }
  };
  const atOnce = Math.min(parallel, pool.slots.length);
  await Promise.all(Array.from({ length: atOnce }, replaceSome));
  if (failure === undefined) return;
  if (replaced === 0) pool.module = before;
  throw failure.error;
}
