import { createHistogram } from 'node:perf_hooks';

/** How a process does. */
export interface ProcessStats {
  /** Memory that it holds, shared pages included. */
  readonly memoryBytes: number;
  /** How late timers were in the last whole second. */
  readonly eventLoop: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };
}

export interface ProcessWatch {
  stats(): ProcessStats;
  close(): void;
}

const EVERY_MS = 10;
const WINDOW_MS = 1000;
const NS_PER_MS = 1e6;
const IDLE: ProcessStats['eventLoop'] = { p50Ms: 0, p99Ms: 0, maxMs: 0 };

/**
 * Watches this process: a timer notes how late it is. `monitorEventLoopDelay` cannot tell of one second after another: its
 * `reset` forgets the interval under way, and after a long one that is the one that counts.
 */
export function watchProcess(): ProcessWatch {
  let histogram = createHistogram();
  let seen = IDLE;
  let [due, windowEnd] = [performance.now() + EVERY_MS, performance.now() + WINDOW_MS];
  let timer = setTimeout(tick, EVERY_MS).unref();
  let memoryBytes = 0;

  function tick(): void {
    const now = performance.now();
    histogram.record(Math.max(1, Math.round((now - due) * NS_PER_MS)));
    if (now >= windowEnd) {
      const ms = (ns: number): number => Math.round(ns / 1e4) / 100;
      seen = {
        p50Ms: ms(histogram.percentile(50)),
        p99Ms: ms(histogram.percentile(99)),
        maxMs: ms(histogram.max),
      };
      histogram = createHistogram();
      windowEnd = now + WINDOW_MS;
    }
    due = now + EVERY_MS;
    timer = setTimeout(tick, EVERY_MS).unref();
  }

  return {
    stats() {
      try {
        memoryBytes = process.memoryUsage.rss();
      } catch {
        // Reading it takes a file: a process that is out of those gives the last value.
      }
      return { memoryBytes, eventLoop: seen };
    },
    close: () => clearTimeout(timer),
  };
}
