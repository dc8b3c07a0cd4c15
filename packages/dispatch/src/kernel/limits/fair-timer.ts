import type { Clock } from '@ticketing/kit';

/** Share of the time by which a timer may be late, beside these milliseconds, and still judge a worker. */
const LATE_SHARE = 0.25;
const LATE_MS = 20;
/** Most times that a timer is set again: a process that is always late must still be able to end a worker. */
const MOST_PAUSES = 3;

/** A wait that ends with a judgement of a worker. */
export interface FairTimer {
  readonly clock: Clock;
  readonly ms: number;
  /** Gets the timer, and each that follows it, to be cleared. */
  set(timer: unknown): void;
  passed(): void;
}

/**
 * Calls `passed` after `ms`. If the timer itself is late, this process was paused or had no processor, and so may have had the
 * worker: the time begins again, so that what the worker has sent meanwhile is read before it is judged.
 */
export function startFairTimer(timer: FairTimer, pauses: number = MOST_PAUSES): void {
  const { clock, ms, set, passed } = timer;
  const dueAt = clock.now() + ms;
  set(
    clock.setTimeout(() => {
      if (pauses > 0 && isLate(clock, dueAt, ms)) startFairTimer(timer, pauses - 1);
      else passed();
    }, ms),
  );
}

/** Returns true if a timer of `ms` that was due at `dueAt` fires so late that others may have been late as well. */
export function isLate(clock: Clock, dueAt: number, ms: number): boolean {
  return clock.now() - dueAt > Math.max(LATE_MS, ms * LATE_SHARE);
}
