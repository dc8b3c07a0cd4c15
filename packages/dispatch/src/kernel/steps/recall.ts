import {
  canHelp,
  checksAfter,
  dueToMove,
  HELD_UP_CHECK_MS,
  movableCalls,
} from '../policy/held-up.ts';
import type { PoolWorker } from '../state/call.ts';
import { type PoolState, touch } from '../state/pool-state.ts';
import { requeue } from './queue.ts';
import { release } from './settle.ts';

/** Checks workers from now on, until each call has begun or no other worker could run it. */
export function checkHeldUpSoon(pool: PoolState, { handle }: PoolWorker): void {
  const { checks, staff, phase } = pool;
  if (checks.heldUp !== undefined || handle?.reclaim === undefined) return;
  if (staff.slots.length > 1 && phase !== 'closed') checkSoon(pool);
}

/** A worker sent something: it may get calls again. */
export function heard(pool: PoolState, worker: PoolWorker): void {
  const { heldUpAt } = worker.admission;
  if (heldUpAt === undefined) return;
  touch(pool, worker);
  const { checks, options } = pool;
  checks.neededChecks = checksAfter(checks.neededChecks, options.clock.now() - heldUpAt);
  worker.admission.heard();
}

/**
 * Takes calls that have not begun back from workers that are held up by one long task, or by other work. They wait again, and go
 * to the first worker with room. A held-up worker gets no calls until it sends something.
 */
export function recallCalls(pool: PoolState): void {
  pool.checks.heldUp = undefined;
  let isOpen = false;
  for (const worker of pool.staff.live) isOpen = checkWorker(pool, worker) || isOpen;
  if (isOpen && pool.phase !== 'closed') checkSoon(pool);
}

/** Ends the checks. */
export function stopRecall({ checks, options }: PoolState): void {
  options.clock.clearTimeout(checks.heldUp);
  checks.heldUp = undefined;
}

function checkSoon(pool: PoolState): void {
  const { checks, options } = pool;
  checks.heldUp = options.clock.setTimeout(() => pool.emit({ kind: 'held-up' }), HELD_UP_CHECK_MS);
  // Workers keep the process alive, not this timer.
  (checks.heldUp as { unref?: () => void } | undefined)?.unref?.();
}

/** Checks one worker. @returns whether it has calls that may still have to move */
function checkWorker(pool: PoolState, worker: PoolWorker): boolean {
  const { health, handle, started } = worker;
  const { seen } = health;
  health.see(undefined);
  const movable = movableCalls(worker);
  if (movable.length === 0 || !canHelp(worker, pool.staff.slots, pool.queue.isHopeful))
    return false;
  const checks = seen?.claimed === started ? seen.checks + 1 : 0;
  health.see({ claimed: started, checks });
  if (checks < pool.checks.neededChecks) return true;
  const now = pool.options.clock.now();
  const held = dueToMove(movable, now);
  const seqs = new Set(handle?.reclaim?.(held.map(({ seq }) => seq)));
  if (seqs.size === 0) return true;
  for (const call of held) {
    if (!seqs.has(call.seq)) continue;
    call.noteMoved();
    call.asked.counts.moved += 1;
    release(pool, worker, call);
    requeue(pool, call);
  }
  // The worker reports `dropped` when their turn comes.
  worker.admission.holdUp(now);
  return true;
}
