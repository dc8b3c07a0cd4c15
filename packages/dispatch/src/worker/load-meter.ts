import { getHeapStatistics } from 'node:v8';
import type { FromWorker } from '../contract/frames.ts';

export type LoadFrame = Extract<FromWorker, { kind: 'load' }>;

const EVERY_MS = 20;
/** Milliseconds between questions to the system, which take longer than many tasks. */
const MEMORY_EVERY_MS = 1000;

/**
 * Creates the meter of a thread: it returns the load since the last reading, if that is long enough before `now`. The first, with
 * memory, comes after 20 ms. While memory cannot be read (a process needs a free file descriptor for that) it repeats the
 * last value. What was only polled counts as idle.
 */
export function createLoadMeter({
  memoryBytes,
  polledMs,
  // Other runtimes than Node.js do not measure it: their workers report neither idle nor active time.
  utilization = () => performance.eventLoopUtilization?.() ?? { idle: 0, active: 0 },
}: {
  memoryBytes(): number;
  /** Returns the milliseconds in which the event loop turned, but only polled. */
  polledMs(): number;
  readonly utilization?: () => { readonly idle: number; readonly active: number };
}): (now: number) => LoadFrame | undefined {
  let last = utilization();
  let lastPolledMs = polledMs();
  let lastAt = performance.now();
  let memoryAt = Number.NEGATIVE_INFINITY;
  let memory: number | undefined;
  let heap: number | undefined;
  return (now) => {
    if (now - lastAt < EVERY_MS) return undefined;
    lastAt = now;
    if (now - memoryAt >= MEMORY_EVERY_MS) {
      memoryAt = now;
      heap = getHeapStatistics().used_heap_size;
      try {
        memory = memoryBytes();
      } catch {
        // A worker does not end for a statistic.
      }
    }
    const current = utilization();
    const turnedMs = current.active - last.active;
    const elapsedMs = turnedMs + current.idle - last.idle;
    const activeMs = Math.max(0, turnedMs - (polledMs() - lastPolledMs));
    last = current;
    lastPolledMs = polledMs();
    return { kind: 'load', elapsedMs, activeMs, memoryBytes: memory, heapBytes: heap };
  };
}
