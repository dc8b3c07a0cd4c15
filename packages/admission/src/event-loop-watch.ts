import { createHistogram } from 'node:perf_hooks';

/** Load of an event loop. */
export interface EventLoopStats {
  /** Share of the last whole second in which the event loop was busy, 0 to 1. */
  readonly utilisation: number;
  /** Lateness of timers in the last whole second. */
  readonly delay: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };
}

export interface EventLoopWatch {
  stats(): EventLoopStats;
  /** Returns the milliseconds by which the timer of this watch is late now. */
  lateMs(): number;
  /**
   * Returns the earliest time at which bytes that are read now can have arrived, on the clock of `performance.now()`: while the
   * event loop is blocked they wait in the socket, and no system call tells for how long.
   */
  arrivedAt(): number;
  /** Ends the measurements: from then on nothing is late. Further calls do nothing. */
  close(): void;
}

const EVERY_MS = 10;
const WINDOW_MS = 1000;
/** Interval between two calls of `onLate`. */
const REPORT_MS = 100;
const NS_PER_MS = 1e6;

/**
 * Watches the event loop of this thread: a timer measures how late it is. `monitorEventLoopDelay` cannot report one second after
 * another: its `reset` forgets the interval under way, and the longest one matters most.
 *
 * `onLate` gets the average lateness in milliseconds, ten times per second. The timer keeps no process alive.
 */
export function watchEventLoop(onLate: (lateMs: number) => void = () => {}): EventLoopWatch {
  let histogram = createHistogram();
  let delay: EventLoopStats['delay'] = { p50Ms: 0, p99Ms: 0, maxMs: 0 };
  let [used, utilisation] = [performance.eventLoopUtilization(), 0];
  let [due, windowEnd] = [performance.now() + EVERY_MS, performance.now() + WINDOW_MS];
  let [lateMs, ticks, reportAt] = [0, 0, performance.now() + REPORT_MS];
  let free = freeNow();
  let timer = setTimeout(tick, EVERY_MS).unref();
  let isClosed = false;

  function tick(): void {
    const now = performance.now();
    const late = Math.max(0, now - due);
    histogram.record(Math.max(1, Math.round(late * NS_PER_MS)));
    if (now >= windowEnd) {
      const ms = (ns: number): number => Math.round(ns / 1e4) / 100;
      delay = {
        p50Ms: ms(histogram.percentile(50)),
        p99Ms: ms(histogram.percentile(99)),
        maxMs: ms(histogram.max),
      };
      const usedNow = performance.eventLoopUtilization();
      utilisation = performance.eventLoopUtilization(usedNow, used).utilization;
      used = usedNow;
      histogram = createHistogram();
      windowEnd = now + WINDOW_MS;
    }
    lateMs += late;
    ticks += 1;
    noteFree(now, late);
    due = performance.now() + EVERY_MS;
    timer = setTimeout(tick, EVERY_MS).unref();
    if (now >= reportAt) {
      const averageMs = lateMs / ticks;
      [lateMs, ticks, reportAt] = [0, 0, now + REPORT_MS];
      // Last: it may close this watch.
      onLate(averageMs);
    }
  }

  /** Bytes that are read next arrived after the timer was due; bytes of the turn after that arrived after this turn. */
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
    stats: () => ({ utilisation, delay }),
    lateMs: () => (isClosed ? 0 : Math.max(0, performance.now() - due)),
    // Nothing waits while the loop is idle.
    arrivedAt: () => (isClosed ? performance.now() : free.at + idleMs() - free.idleMs),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** The time at which the event loop was free, and its idle time in all until then. */
function freeNow(): { readonly at: number; readonly idleMs: number } {
  return { at: performance.now(), idleMs: idleMs() };
}

function idleMs(): number {
  return performance.nodeTiming.idleTime;
}
