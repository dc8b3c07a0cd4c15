import { setImmediate } from 'node:timers';
import { type Clock, systemClock } from '@ticketing/kit';

/** Time as a guard sees it. */
export interface GuardClock extends Clock {
  /** Milliseconds since 1970, as deadlines of callers are given. */
  epochNow(): number;
  /** Calls back in the next turn of the event loop. */
  soon(callback: () => void): void;
}

/** Creates the clock of a guard. `now` replaces the platform's two clocks. */
export function guardClock(now?: () => number): GuardClock {
  return {
    now: now ?? systemClock.now,
    epochNow: now ?? (() => Date.now()),
    setTimeout: systemClock.setTimeout,
    clearTimeout: systemClock.clearTimeout,
    soon: setImmediate,
  };
}
