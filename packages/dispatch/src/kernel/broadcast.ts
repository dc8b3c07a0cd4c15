import type { BroadcastOptions, BroadcastOutcome } from '../contract/dispatcher.ts';
import { checkBroadcastOptions } from './checks.ts';
import { closed, draining, unknownTask } from './errors.ts';
import { run } from './run.ts';
import type { CallOwner, PoolWorker } from './state/call.ts';
import type { KeptBroadcast, PoolState } from './state/pool-state.ts';
import { failStart } from './steps/workers.ts';

/**
 * Runs a task on every worker: on each that is ready now, and, with `later`, on each that starts later, as a part of its start.
 *
 * @throws TypeError or RangeError for wrong options; DispatchError `ERR_CLOSED`, `ERR_DRAINING`, `ERR_UNKNOWN_TASK`
 */
export async function broadcast(
  pool: PoolState,
  task: string,
  input: unknown,
  options: BroadcastOptions = {},
  owner?: CallOwner,
): Promise<BroadcastOutcome<unknown>[]> {
  checkBroadcastOptions(options);
  const { staff, kept, phase } = pool;
  const { name } = pool.options;
  if (phase === 'closed') throw closed(name, task);
  if (phase === 'draining') throw draining(name, task);
  if (staff.tasks?.has(task) === false) throw unknownTask(name, task, staff.tasks);
  const { later = false, ...callOptions } = options;
  if (later) {
    // The latest is the last in the order.
    kept.delete(task);
    kept.set(task, { task, input, options: callOptions, owner });
  }
  const ready = staff.slots.flatMap(({ current }) => (current?.phase === 'ready' ? current : []));
  return Promise.all(
    ready.map(async ({ workerId, slot }) => {
      let by = workerId;
      const onWorker = (id: number): void => {
        by = id;
      };
      // Its successor runs a kept one as it starts, and would run it twice.
      const place = { owner, slot, only: later ? workerId : undefined };
      const call = run(pool, { task, input, options: { ...callOptions, onWorker } }, place);
      const [outcome] = await Promise.allSettled([call]);
      return { ...outcome, workerId: by, slot };
    }),
  );
}

/** Runs what is kept on a worker that starts, and lets it take calls then; if that fails, its start does. */
export async function prepare(pool: PoolState, worker: PoolWorker): Promise<void> {
  const seen = new Set<KeptBroadcast>();
  const next = (): KeptBroadcast | undefined =>
    [...pool.kept.values()].find((each) => !seen.has(each));
  for (let each = next(); each !== undefined; each = next()) {
    if (worker.phase !== 'starting') return;
    seen.add(each);
    const { task, input, options } = each;
    try {
      if (!isOver(pool, each)) await run(pool, { task, input, options }, { starting: worker });
    } catch (error) {
      if (worker.phase !== 'starting') return;
      if (isOver(pool, each)) continue;
      failStart(worker, { error, final: false });
      return;
    }
  }
  // At once: a broadcast that is made from now on finds it ready.
  pool.emit({ kind: 'prepared', worker });
}

/** Forgets what an owner had kept. */
export function forgetBroadcasts({ kept }: PoolState, owner: CallOwner): void {
  for (const { task, owner: of } of kept.values()) if (of === owner) kept.delete(task);
}

/** Returns true if a broadcast is no longer kept: another one of its task is, or its signal has aborted. */
function isOver({ kept }: PoolState, broadcast: KeptBroadcast): boolean {
  const { task, options } = broadcast;
  if (kept.get(task) !== broadcast) return true;
  if (!options.signal?.aborted) return false;
  kept.delete(task);
  return true;
}
