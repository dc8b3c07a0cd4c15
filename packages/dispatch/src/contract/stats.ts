import type { BucketCounts } from '@ticketing/kit';

/** Kind of transport that runs tasks. Third-party transports have names of their own. */
export type DispatcherKind = 'in-process' | 'fork' | 'cluster' | 'piscina' | 'nats' | (string & {});

/** State of a dispatcher; `degraded`: it works with fewer workers than `min`, or its circuit is open. */
export type DispatcherState = 'starting' | 'ready' | 'degraded' | 'draining' | 'closed';

/**
 * Counts of a dispatcher since its creation. Plain data that JSON keeps, except for members that are undefined.
 *
 * A dispatcher counts the calls that its workers run. A call whose worker relays it to another dispatcher counts in both, so a sum
 * over dispatchers must leave out the ones that only relay, such as `primaryDispatcher`, of kind `primary`.
 * Runs of `broadcast` are not counted.
 */
export interface DispatcherStats {
  readonly name: string;
  readonly kind: DispatcherKind;
  readonly state: DispatcherState;
  /** Calls that wait for a worker. */
  readonly queued: number;
  /** Calls that a worker has. */
  readonly running: number;
  /** Milliseconds that one more call would wait for a worker: 0 while one has room, undefined before the first measurement. */
  readonly expectedWaitMs: number | undefined;
  readonly asked: number;
  readonly completed: number;
  /** Calls rejected with an error of the task, or because a value could not be cloned. */
  readonly failed: number;
  /** Calls rejected by the caller's signal or a timeout. */
  readonly aborted: number;
  /** Calls rejected because of a bound, the circuit, `drain()`, `close()` or a lost worker. */
  readonly rejected: number;
  /** Calls rejected with `ERR_OVERLOADED`, which `rejected` includes. */
  readonly refused: number;
  readonly retried: number;
  /** Moves of calls from a held-up worker, which had not begun them, to another worker. */
  readonly moved: number;
  /** Calls that a worker gave back because it had no room for them; it had not begun them. */
  readonly returned: number;
  /** Workers that ended unasked. */
  readonly lost: number;
  /** Workers killed for a task that did not stop. */
  readonly killed: number;
  /** Workers replaced because of `recycle` or a health check. */
  readonly recycled: number;
  /** Workers above `min` that were ended after `idleTimeoutMs` without calls. */
  readonly idled: number;
  readonly spawned: number;
  readonly circuit: 'closed' | 'open' | 'half-open';
  readonly workers: readonly WorkerStats[];
  readonly histograms: {
    /** Time from the call until a worker got it. */
    readonly wait: HistogramSummary;
    /** Time of the task in the worker. */
    readonly run: HistogramSummary;
    /** All other time: encoding, both ways, waiting in the worker. */
    readonly transport: HistogramSummary;
  };
  /**
   * Times of `histograms` by bucket. Two readings can be subtracted, and readings of several dispatchers added. The bounds are
   * the 14 that OpenTelemetry advises, 5 ms to 10 s, each moved by 5 % at most.
   */
  readonly buckets: {
    readonly wait: BucketCounts;
    readonly run: BucketCounts;
    readonly transport: BucketCounts;
  };
}

/** Figures of one worker. */
export interface WorkerStats {
  readonly workerId: number;
  /** Slot of the worker, from 0; its successor has the same one. */
  readonly slot: number;
  readonly pid: number | undefined;
  /** Id of the worker's thread, from `node:worker_threads`; undefined if it is none. */
  readonly threadId: number | undefined;
  readonly state: 'starting' | 'ready' | 'retiring' | 'stopping';
  /** Calls that the worker has and has not answered. */
  readonly inFlight: number;
  /** Most calls that the worker holds. */
  readonly window: number;
  /** Calls that the worker has answered. */
  readonly done: number;
  readonly ageMs: number;
  /** Latest share of time in which its event loop was busy, 0 to 1; undefined before its first report, and in-process. */
  readonly utilisation: number | undefined;
  /** Latest bytes of the worker's process, or of its thread's heap; undefined before its first report. */
  readonly memoryBytes: number | undefined;
  /** Latest bytes of the worker's JavaScript heap in use; undefined before its first report, and in-process. */
  readonly heapBytes: number | undefined;
  /** Latest report of a worker that does more than tasks. */
  readonly report: unknown;
  /** Latest result of the module's `report` hook, at most about a second old. */
  readonly moduleReport: unknown;
}

/** Summary of times in milliseconds, with quantiles within 7 %. All 0 before the first. */
export interface HistogramSummary {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}
