import type { ResolvedPoolOptions } from '../options.ts';
import type { PoolWorker } from '../state/call.ts';
import type { RecycleLimits } from '../state/worker/worker-health.ts';

/** Health checks in a row that find a worker too busy before it is replaced: a burst of calls is no reason. */
export const BUSY_CHECKS = 3;

/** Returns the limits at which one worker is replaced, each reduced at random. */
export function recycleLimits({
  recycle,
  random,
}: Pick<ResolvedPoolOptions, 'recycle' | 'random'>): RecycleLimits {
  const share = 1 - recycle.jitter * random();
  return {
    tasks: Math.max(1, recycle.tasks * share),
    ageMs: recycle.ageMs * share,
    rssBytes: recycle.rssBytes * share,
    heapBytes: recycle.heapBytes * share,
  };
}

/** Returns true if a worker has reached a limit at which it is replaced. */
export function isDue({ load, health: { limits }, bornAt }: PoolWorker, now: number): boolean {
  return (
    load.done >= limits.tasks ||
    now - bornAt >= limits.ageMs ||
    (load.memoryBytes ?? 0) >= limits.rssBytes ||
    (load.heapBytes ?? 0) >= limits.heapBytes
  );
}

/** Returns true if a worker need not answer now: a task may block it, unless its answer is overdue and no frame has come since. */
export function mayBeSilent({ isRunning, health }: PoolWorker): boolean {
  return isRunning && !health.isOverdue;
}

/**
 * Returns what follows from a health check of a worker that is not at a breakpoint: `ask` it, `wait` for its answer, with the new
 * state of its question, or `judge` it.
 *
 * @param isLate - whether this process was paused, and so may have been the worker: its answer is due at the next check
 */
export function healthStep(
  worker: PoolWorker,
  isLate: boolean,
):
  | { readonly kind: 'ask' | 'judge' }
  | { readonly kind: 'wait'; readonly asked: 'due' | 'excused' } {
  const { asked } = worker.health;
  if (asked === undefined) return { kind: 'ask' };
  if (mayBeSilent(worker)) return { kind: 'wait', asked: 'excused' };
  // The task has just ended, or this process was late: the answer has its time from now on.
  if (asked === 'excused' || isLate) return { kind: 'wait', asked: 'due' };
  return { kind: 'judge' };
}
