import type { Clock } from '@ticketing/kit';

/** A clock that a test moves; callbacks run in the order of their times, and of their setting. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** Time passes as for an event loop that is late: no timer fires before the next `advance`. */
  stall(ms: number): void;
  /** Timers that wait. */
  readonly pending: number;
}

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
