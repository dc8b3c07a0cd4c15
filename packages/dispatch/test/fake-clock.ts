import type { Clock } from '../src/clock.ts';

/** A clock that a test moves; callbacks run in the order of their times, and of their setting. */
export interface FakeClock extends Clock {
  advance(ms: number): void;
  /** Timers that wait. */
  readonly pending: number;
}

export function createFakeClock(): FakeClock {
  const timers = new Map<number, { readonly at: number; readonly callback: () => void }>();
  let time = 1000;
  let lastId = 0;
  return {
    now: () => time,
    setTimeout(callback, ms) {
      lastId += 1;
      timers.set(lastId, { at: time + ms, callback });
      return lastId;
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
        time = at;
        callback();
      }
      time = end;
    },
    get pending() {
      return timers.size;
    },
  };
}
