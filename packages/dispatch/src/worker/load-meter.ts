import type { FromWorker } from '../contract/frames.ts';

/** Tells how busy this thread is, from time to time. */
export interface LoadMeter {
  /** Gives what has been since the last one, if that is long enough ago. @param now - milliseconds that only grow */
  read(now: number): Extract<FromWorker, { kind: 'load' }> | undefined;
}

const EVERY_MS = 20;
/** Asking the system takes longer than many a task. */
const MEMORY_EVERY_MS = 1000;

/**
 * Makes the meter of a thread; the first reading comes after 20 ms, the first of memory with it. While memory cannot be
 * read (that of a process takes a file, and a process may be out of those) the last value stands.
 */
export function createLoadMeter(memoryBytes: () => number): LoadMeter {
  let last = performance.eventLoopUtilization();
  let lastAt = performance.now();
  let memoryAt = Number.NEGATIVE_INFINITY;
  let memory: number | undefined;
  return {
    read(now) {
      if (now - lastAt < EVERY_MS) return undefined;
      lastAt = now;
      if (now - memoryAt >= MEMORY_EVERY_MS) {
        memoryAt = now;
        try {
          memory = memoryBytes();
        } catch {
          // Statistics are no reason to end.
        }
      }
      const current = performance.eventLoopUtilization();
      const activeMs = current.active - last.active;
      const elapsedMs = activeMs + current.idle - last.idle;
      last = current;
      return { kind: 'load', elapsedMs, activeMs, memoryBytes: memory };
    },
  };
}
