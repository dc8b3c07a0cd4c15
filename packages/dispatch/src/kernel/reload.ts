import type { WorkerPool } from './worker-pool.ts';

/**
 * Replaces the worker of each place, one after the other; a place that is kept and has none gets one.
 *
 * @throws what a new worker's start failed with; places that come after it keep their workers, and what starts
 *   later has the module of before, unless a place has been replaced already
 */
export async function reload(pool: WorkerPool, module: URL | undefined): Promise<void> {
  const before = pool.module;
  if (module !== undefined) pool.module = module;
  let replaced = 0;
  try {
    for (const slot of pool.slots) {
      if (!pool.isUsed(slot)) continue;
      if (slot.current !== undefined) slot.current.replaced = true;
      await pool.replace(slot);
      replaced += 1;
    }
  } catch (error) {
    if (replaced === 0) pool.module = before;
    throw error;
  }
}
