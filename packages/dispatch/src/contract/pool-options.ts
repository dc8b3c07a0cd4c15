import type { Clock } from '@ticketing/kit';

/** Options of a dispatcher: its workers, bounds and limits. */
export interface PoolOptions {
  /** Name of the dispatcher in errors, statistics and diagnostics. Default: the kind. */
  readonly name?: string;
  /** Workers that are always kept, 0 to `max`; with 0 the first worker starts with the first call, which waits for it. Default: `max`. */
  readonly min?: number;
  /** Most workers, 1 to 1024; above `min` one starts when every worker is full. Default: the cores that this process may use, within the CPU limit of its container. */
  readonly max?: number;
  /**
   * Most calls that a worker holds, 1 to 65,536. `auto`: enough for 1.5 ms of work, 2 to 64, more while the worker is idle, 1 for
   * tasks of 4 ms or more; in-process 1024. Default `auto`.
   */
  readonly window?: 'auto' | number;
  /** Most calls that wait, 0 to 2^31-1; then `ERR_QUEUE_FULL`. Default 10,000. */
  readonly maxQueue?: number;
  /**
   * Longest expected wait for a worker in milliseconds, 0 or more. A call that would wait longer is refused at once with
   * `ERR_OVERLOADED`; so is a call that would wait longer than its own `timeoutMs` or `queueTimeoutMs`. Default: no limit.
   */
  readonly maxWaitMs?: number;
  /** Milliseconds that an aborted task has to settle, 0 to 2^31-1; then its worker is killed. Default 1000. */
  readonly abortGraceMs?: number;
  /** Milliseconds that a worker has to end after it is asked to stop, 0 to 2^31-1; then it is killed. Default: `abortGraceMs`. */
  readonly stopGraceMs?: number;
  /** Milliseconds that a worker has to become ready, 1 to 2^31-1. Default 30,000. */
  readonly startTimeoutMs?: number;
  /** Milliseconds that a worker without a running task has to answer a health check, 1 to 2^31-1. Default 5000. */
  readonly healthMs?: number;
  /**
   * Milliseconds without calls after which a worker above `min` ends, 1 or more; it may take 1.25 times that. Calls that need the
   * worker start it again. Infinity: never. Default 30,000.
   */
  readonly idleTimeoutMs?: number;
  /** Limits at which a healthy worker is replaced. Default: none. */
  readonly recycle?: {
    /** Tasks answered, a positive integer. */
    readonly tasks?: number;
    /** Age of the worker in milliseconds, 1 or more. */
    readonly ageMs?: number;
    /** Bytes of the process, or of the thread's heap, 1 or more. */
    readonly rssBytes?: number;
    /** Bytes of the JavaScript heap in use, 1 or more. No effect in-process. */
    readonly heapBytes?: number;
    /**
     * Share of time in which the event loop of a worker is busy, above 0 and at most 1. A worker that exceeds it in three health
     * checks in a row (`healthMs`) is replaced, one worker at a time. No effect in-process.
     */
    readonly utilisation?: number;
    /** Largest share, 0 to 1, by which each limit except `utilisation` is reduced at random, so that workers are not replaced together. Default 0.1. */
    readonly jitter?: number;
  };
  /** Limits for workers that fail to start, or end before they have answered a task. */
  readonly restart?: {
    /** Milliseconds before the first restart, and the most before a later one; each doubles, and half of it is random. Default [100, 5000]. */
    readonly backoffMs?: readonly [min: number, max: number];
    /** Tolerated failures within `withinMs`, and tolerated failed starts in a row, 0 to 10,000; one more opens the circuit. Default 5. */
    readonly maxFailures?: number;
    /** Period of `maxFailures` in milliseconds, 1 to 2^31-1. Default 10,000. */
    readonly withinMs?: number;
  };
  /**
   * Value for each worker at its start, for the hook `setup` and for its tasks as `context.workerData`; or a function of the
   * worker's slot that returns the value, called for each start. Cloned just as inputs are; passed by reference in-process without
   * `clone`. A start whose value cannot be cloned fails with `ERR_NOT_CLONEABLE`. Default: none.
   */
  readonly workerData?: unknown;
  /**
   * Lets this process and idle workers poll for answers and calls that are expected soon, for up to some 300 µs, before they
   * sleep: small calls, one after the other, are answered several times as fast. They poll only while the process may use more
   * cores than there are workers with calls, and rarely where answers take longer. Use `false` for processes that pay for processor
   * time or share their cores. No effect in-process, over NATS and in clusters. Default `true`.
   */
  readonly busyPoll?: boolean;
  /** Clock, for tests. Default: the clock of the platform. */
  readonly clock?: Clock;
  /** Source of random numbers, 0 ≤ n < 1, for tests. Default `Math.random`. */
  readonly random?: () => number;
}
