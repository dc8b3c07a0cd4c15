import type { LoopClock } from '../src/loading/open-loop.ts';

/** A clock that stands still until it is told. */
export interface FakeClock extends LoopClock {
  /** Goes on, and calls what is due on the way. */
  advance(ms: number): void;
}

export function createFakeClock(): FakeClock {
  let time = 0;
  let timers: { at: number; call: () => void }[] = [];
  return {
    now: () => time,
    after(ms, call) {
      const timer = { at: time + ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
    advance(ms) {
      const end = time + ms;
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers = timers.filter((each) => each !== next);
        time = Math.max(time, next.at);
        next.call();
      }
      time = end;
    },
  };
}
