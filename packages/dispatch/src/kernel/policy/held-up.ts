import type { Call, PoolWorker } from '../state/call.ts';
import { isTaken, type Slot } from '../state/pool-state.ts';

/** Milliseconds between two checks for workers that are held up. */
export const HELD_UP_CHECK_MS = 1;
/**
 * A worker is held up if it begins nothing during this many checks in a row: more where held-up workers soon send something,
 * since they were busy with something short, or waited for a processor. Checks are counted and not milliseconds: while
 * this process waits for a processor, workers may as well.
 */
const LEAST_CHECKS = 1;
const MOST_CHECKS = 4;
/** A worker that sends something within this many milliseconds was considered held up too early. */
const SOON_MS = 10;

/** Returns the calls at a worker that have not begun, and that any other worker may run. */
export function movableCalls(worker: PoolWorker): Call[] {
  const { handle, calls, phase } = worker;
  if (handle?.reclaim === undefined || calls.size === 0) return [];
  if (phase !== 'ready' && phase !== 'retiring') return [];
  const { started } = worker;
  return [...calls].filter((call) => canMove(call, started));
}

/** Returns true if another worker may run the calls that a worker has not begun. */
export function canHelp(worker: PoolWorker, slots: readonly Slot[], isHopeful: boolean): boolean {
  return slots.some((slot) => {
    const { current } = slot;
    if (current === undefined) return isHopeful && !isTaken(slot);
    return (
      current !== worker && current.phase === 'ready' && current.admission.heldUpAt === undefined
    );
  });
}

/** Returns the calls that have been at a worker for long enough to move. */
export function dueToMove(calls: readonly Call[], now: number): Call[] {
  return calls.filter(({ sentAt, moves }) => now - sentAt >= stayMs(moves));
}

/** Returns how many checks in a row a worker must fail from now on, after one that was held up for `heldMs` has sent something. */
export function checksAfter(checks: number, heldMs: number): number {
  return heldMs < SOON_MS ? Math.min(2 * checks, MOST_CHECKS) : Math.max(checks - 1, LEAST_CHECKS);
}

/**
 * Returns the milliseconds that a call stays where it is, doubled with each move. Without the doubling a call that takes long to
 * arrive, because it is large or all workers wait for a processor, would move for ever.
 */
function stayMs(moves: number): number {
  return HELD_UP_CHECK_MS * 2 ** moves;
}

function canMove({ seq, state, target, isSpent }: Call, started: number): boolean {
  if (seq <= started || state !== 'sent' || isSpent) return false;
  return (target.key ?? target.slot ?? target.apartFrom) === undefined;
}
