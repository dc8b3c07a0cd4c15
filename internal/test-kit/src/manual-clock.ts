import type { Clock } from '@ticketing/kit';

/** A clock that a test advances. Callbacks run in the order of their times, then in the order in which they were set. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** Lets time pass as when the event loop is blocked: timers fire at the next `advance`. */
  stall(ms: number): void;
  /** Timers that are set. */
  readonly pending: number;
}

/** Creates a clock that stands still until it is advanced. */
export function createManualClock(): ManualClock {
  const timers = new Map<number, { readonly at: number; readonly callback: () => void }>();
  let time = 1000;
  let next = 1;
  return {
    now: () => time,
    setTimeout(callback, ms) {
      timers.set(next, { at: time + ms, callback });
      return next++;
    },
    clearTimeout: (timer) => void timers.delete(timer as number),
    advance(ms) {
      const end = time + ms;
      for (;;) {
        const due = [...timers]
          .filter(([, { at }]) => at <= end)
          .sort(([, a], [, b]) => a.at - b.at)[0];
        if (due === undefined) break;
        const [id, { at, callback }] = due;
        timers.delete(id);
        time = Math.max(time, at);
        callback();
      }
      time = end;
    },
    stall(ms) {
      time += ms;
    },
    get pending() {
      return timers.size;
    },
  };
}
