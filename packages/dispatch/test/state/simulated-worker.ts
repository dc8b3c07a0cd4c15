import type { Window, WindowLoad } from '../../src/kernel/state/worker/window.ts';

/** Times of each task: it computes, then waits. */
export interface SimulatedLoad {
  readonly cpuMs: number;
  readonly waitMs: number;
}

/** Milliseconds between two reports of a worker, and from an answer until the next task is there. */
const REPORT_MS = 100;
const WAY_MS = 0.2;

/**
 * Simulates a worker that is asked for more than it can do: it has as many tasks as its window takes, computes one at
 * a time, and is given the next when one is done.
 */
export function simulateWorker(window: Window): { report(load: SimulatedLoad): WindowLoad } {
  let now = 0;
  /** When each task that it has is done, or on its way back, the first first; and when its processor is free. */
  const settleAt: number[] = [];
  let freeAt = 0;

  return {
    report({ cpuMs, waitMs }) {
      const endAt = now + REPORT_MS;
      let activeMs = Math.max(0, Math.min(freeAt, endAt) - now);
      let done = 0;
      let runMs = 0;
      const start = (from: number): void => {
        const startAt = Math.max(from, freeAt);
        freeAt = startAt + cpuMs;
        activeMs += Math.max(0, Math.min(freeAt, endAt) - Math.max(startAt, now));
        const at = settleAt.findLastIndex((earlier) => earlier <= freeAt + waitMs) + 1;
        settleAt.splice(at, 0, freeAt + waitMs);
      };
      while (settleAt.length < window.size) start(now);
      for (;;) {
        const next = settleAt[0] ?? Number.POSITIVE_INFINITY;
        if (next > endAt) break;
        settleAt.shift();
        done += 1;
        runMs += cpuMs + waitMs;
        if (settleAt.length < window.size) start(next + WAY_MS);
      }
      now = endAt;
      return { elapsedMs: REPORT_MS, activeMs, done, starved: true, runMs, bytes: 0 };
    },
  };
}
