import type { Clock } from '@ticketing/kit';

/** How a dispatcher keeps its workers. */
export interface PoolOptions {
  /** Names the dispatcher in errors, statistics and diagnostics. Default: the kind. */
  readonly name?: string;
  /** Workers that are kept, 0 to `max`; with 0 the first starts with the first call, which waits for it. Default: `max`. */
  readonly min?: number;
  /** Workers at most, 1 to 1024; above `min` they start when every worker is full. Default: the cores that this process may use, by a CPU limit of its container as well. */
  readonly max?: number;
  /**
   * Calls that a worker holds at most, 1 to 65,536. `auto` (default): enough for 1.5 ms of work, 2 to 64, more
   * while the worker is idle, 1 for tasks that take 4 ms; in-process 1024.
   */
  readonly window?: 'auto' | number;
  /** Calls that wait at most, 0 to 2^31-1; then `ERR_QUEUE_FULL`. Default 10,000. */
  readonly maxQueue?: number;
  /**
   * Longest expected wait for a worker in milliseconds, 0 or more; a call that would wait longer is refused at once with
   * `ERR_OVERLOADED`, as is one that would wait longer than its own `timeoutMs` or `queueTimeoutMs`. Default: no limit.
   */
  readonly maxWaitMs?: number;
  /** Milliseconds a running task has to settle once aborted, 0 to 2^31-1; then its worker is killed. Default 1000. */
  readonly abortGraceMs?: number;
  /** Milliseconds a worker has to end once asked to stop, 0 to 2^31-1; then it is killed. Default: `abortGraceMs`. */
  readonly stopGraceMs?: number;
  /** Milliseconds a worker has to become ready, 1 to 2^31-1. Default 30,000. */
  readonly startTimeoutMs?: number;
  /** Milliseconds a worker without a running task has to answer a health check, 1 to 2^31-1. Default 5000. */
  readonly healthMs?: number;
  /**
   * Milliseconds after which an idle worker above `min` ends, 1 or more; after 1.25 times that at the latest. It is started
   * again when calls need it. Infinity: never. Default 30,000.
   */
  readonly idleTimeoutMs?: number;
  /** When a healthy worker is replaced. Default: never. */
  readonly recycle?: {
    /** Tasks answered, a positive integer. */
    readonly tasks?: number;
    /** Age in milliseconds, 1 or more. */
    readonly ageMs?: number;
    /** Bytes of the process, or of the thread's heap; 1 or more. */
    readonly rssBytes?: number;
    /** Bytes of the JavaScript heap in use, 1 or more. In-process never. */
    readonly heapBytes?: number;
    /**
     * Share of time, above 0, to 1, in which the event loop of a worker is busy: above it for three health checks in a row
     * (`healthMs`) the worker is replaced, one at a time. In-process never.
     */
    readonly utilisation?: number;
    /** Share of each limit, but `utilisation`, that is taken off at random, so that workers are not replaced together: 0 to 1. Default 0.1. */
    readonly jitter?: number;
  };
  /** What happens when workers fail to start, or end before they have answered a task. */
  readonly restart?: {
    /** Milliseconds before the first restart, and before later ones at most; doubles, half of it random. Default [100, 5000]. */
    readonly backoffMs?: readonly [min: number, max: number];
    /** Tolerated failures within `withinMs`, or failed starts in a row; one more opens the circuit. 0 to 10,000. Default 5. */
    readonly maxFailures?: number;
    /** Milliseconds, 1 to 2^31-1. Default 10,000. */
    readonly withinMs?: number;
  };
  /**
   * What each worker gets at its start, for its tasks as `context.workerData` and for the hook `setup`: a value, or a function of
   * the worker's slot that returns one, called for each start. It is cloned as inputs are; in-process without `clone` it is
   * handed over as it is. What cannot be cloned is a failed start, with `ERR_NOT_CLONEABLE`. Default: none.
   */
  readonly workerData?: unknown;
  /**
   * Whether this process and idle workers poll for answers and calls that are expected, for up to some 300 µs, instead of sleeping
   * at once: small calls, one after the other, are answered several times as fast. It happens while the process may use more cores
   * than there are workers with calls, and rarely where answers take longer. `false` for processes that pay for processor
   * time or share their cores. In-process, over NATS and in clusters never. Default `true`.
   */
  readonly busyPoll?: boolean;
  /** For tests. Default: the platform's. */
  readonly clock?: Clock;
  /** For tests: 0 ≤ n < 1. Default `Math.random`. */
  readonly random?: () => number;
}
