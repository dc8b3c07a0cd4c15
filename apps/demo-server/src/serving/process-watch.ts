import { createHistogram } from 'node:perf_hooks';

/** Memory and event-loop delay of a process. */
export interface ProcessStats {
  /** Memory that it holds, shared pages included. */
  readonly memoryBytes: number;
  /** How late timers were in the last whole second. */
  readonly eventLoop: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };
}

export interface ProcessWatch {
  stats(): ProcessStats;
  /**
   * When what is read now may have come at the earliest, on the clock of `performance.now()`: what came while the event loop was
   * held has waited in its socket, and no system call tells for how long.
   */
  arrivedAt(): number;
  close(): void;
}

const EVERY_MS = 10;
const WINDOW_MS = 1000;
/** How often listeners are told. */
const TELL_MS = 100;
const NS_PER_MS = 1e6;
const IDLE: ProcessStats['eventLoop'] = { p50Ms: 0, p99Ms: 0, maxMs: 0 };

/**
 * Watches this process: a timer notes how late it is. `monitorEventLoopDelay` cannot tell of one second after another: its
 * `reset` forgets the interval under way, and after a long one that is the one that counts.
 *
 * `onLate` is given the average lateness in milliseconds, ten times a second.
 */
export function watchProcess(onLate: (lateMs: number) => void = () => {}): ProcessWatch {
  let histogram = createHistogram();
  let seen = IDLE;
  let [due, windowEnd] = [performance.now() + EVERY_MS, performance.now() + WINDOW_MS];
  let [lateMs, ticks, tellAt] = [0, 0, performance.now() + TELL_MS];
  let free = freeNow();
  let timer = setTimeout(tick, EVERY_MS).unref();
  let memoryBytes = 0;

  function tick(): void {
    const now = performance.now();
    const late = Math.max(0, now - due);
    histogram.record(Math.max(1, Math.round(late * NS_PER_MS)));
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
    lateMs += late;
    ticks += 1;
    if (now >= tellAt) {
      onLate(lateMs / ticks);
      [lateMs, ticks, tellAt] = [0, 0, now + TELL_MS];
    }
    noteFree(now, late);
    due = performance.now() + EVERY_MS;
    timer = setTimeout(tick, EVERY_MS).unref();
  }

  /** What is read next came after the timer was due; what is read in the turn after that, after this one. */
  function noteFree(now: number, late: number): void {
    if (late < EVERY_MS) {
      free = freeNow();
      return;
    }
    free = { at: now - late, idleMs: idleMs() };
    setImmediate(() => {
      free = { at: now, idleMs: free.idleMs };
    });
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
    // While the loop was idle nothing waited.
    arrivedAt: () => free.at + idleMs() - free.idleMs,
    close: () => clearTimeout(timer),
  };
}

/** When the event loop was free, and how long it had been idle in all until then. */
function freeNow(): { readonly at: number; readonly idleMs: number } {
  return { at: performance.now(), idleMs: idleMs() };
}

function idleMs(): number {
  return performance.nodeTiming.idleTime;
}
