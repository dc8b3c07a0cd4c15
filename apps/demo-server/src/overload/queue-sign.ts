import type { DispatcherStats } from '@ticketing/dispatch';

/** How long tasks wait for a worker. */
export interface QueueSign {
  /** Milliseconds that the last one in the queue has to wait, at the pace since the last call. */
  read(): number;
}

type Counts = Pick<DispatcherStats, 'queued' | 'running' | 'completed' | 'failed'>;

/** Weight of the latest pace in the moving average. */
const LATEST = 0.3;

/** Reads the queue of a dispatcher, by Little's law: what waits, divided by what is answered in a millisecond. */
export function createQueueSign(
  counts: () => Counts,
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
        // What is answered while nothing waits is what was asked, not what could be answered.
        perMs = undefined;
        return 0;
      }
      perMs = perMs === undefined ? pace : perMs + (pace - perMs) * LATEST;
      return queued / Math.max(perMs, 1e-6);
    },
  };
}
