import type { EventLoopStats } from '@ticketing/admission';

/** Memory, load and event-loop delay of a process. */
export type ProcessStats = ReturnType<ReturnType<typeof createProcessStats>>;

const US_PER_MS = 1000;

/** Creates a function that returns what this process uses. */
export function createProcessStats(eventLoop: () => EventLoopStats) {
  let memoryBytes = 0;
  return () => {
    try {
      memoryBytes = process.memoryUsage.rss();
    } catch {
      // Reading it opens a file: a process without free descriptors reports the last value.
    }
    const { user, system } = process.cpuUsage();
    const { utilisation, delay } = eventLoop();
    return {
      /** Resident memory, shared pages included. */
      memoryBytes,
      /** CPU time of the process so far, in user and system mode, its threads included. */
      cpuMs: (user + system) / US_PER_MS,
      /** Share of the last whole second in which the event loop was busy, 0 to 1. */
      utilisation,
      /** Lateness of timers in the last whole second. */
      eventLoop: delay,
    };
  };
}
