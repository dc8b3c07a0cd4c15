/** The wait of tasks for a worker. */
export interface QueueSign {
  /** Returns the milliseconds that the last task in the queue will wait, at the pace since the last call. */
  read(): number;
}

/** Counts of a pool of workers, such as `stats()` of a dispatcher of `@ticketing/dispatch`. */
export interface WorkerCounts {
  /** Tasks that wait now. */
  readonly queued: number;
  /** Tasks that have ended so far. */
  readonly completed: number;
  readonly failed: number;
}

/** Weight of the latest pace in the moving average. */
const LATEST = 0.3;

/**
 * Creates the sign of a dispatcher's queue, by Little's law: tasks that wait, divided by tasks that end per millisecond.
 *
 * @example
 * const queue = createQueueSign(() => dispatcher.stats());
 * const admission = createAdmission({ deadlineMs: 2000, signs: () => ({ queueMs: queue.read() }) });
 */
export function createQueueSign(
  counts: () => WorkerCounts,
  now: () => number = () => performance.now(),
): QueueSign {
  let [at, done] = [now(), 0];
  let perMs: number | undefined;
  return {
    read() {
      const { queued, completed, failed } = counts();
      const elapsedMs = Math.max(1, now() - at);
      const pace = (completed + failed - done) / elapsedMs;
      at += elapsedMs;
      done = completed + failed;
      if (queued === 0) {
        // While nothing waits, the pace is that of the requests, not what the workers can do.
        perMs = undefined;
        return 0;
      }
      perMs = perMs === undefined ? pace : perMs + (pace - perMs) * LATEST;
      return queued / Math.max(perMs, 1e-6);
    },
  };
}
