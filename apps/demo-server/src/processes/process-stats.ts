import type { EventLoopStats } from '@ticketing/admission';

/** Memory, load and event-loop delay of a process. */
export interface ProcessStats {
  /** Resident memory, shared pages included. */
  readonly memoryBytes: number;
  /** CPU time of the process so far, in user and system mode, its threads included. */
  readonly cpuMs: number;
  /** Share of the last whole second in which the event loop was busy, 0 to 1. */
  readonly utilisation: number;
  /** How late timers were in the last whole second. */
  readonly eventLoop: EventLoopStats['delay'];
}

const US_PER_MS = 1000;

/** Creates a function that returns what this process uses. */
export function createProcessStats(eventLoop: () => EventLoopStats): () => ProcessStats {
  let memoryBytes = 0;
  return () => {
    try {
      memoryBytes = process.memoryUsage.rss();
    } catch {
      // Reading it opens a file: a process without free descriptors reports the last value.
    }
    const { user, system } = process.cpuUsage();
    const { utilisation, delay } = eventLoop();
    return { memoryBytes, cpuMs: (user + system) / US_PER_MS, utilisation, eventLoop: delay };
  };
}
