import type { BucketCounts } from '@ticketing/kit';

/** Kind of transport that runs tasks. Third-party transports have names of their own. */
export type DispatcherKind = 'in-process' | 'fork' | 'cluster' | 'piscina' | 'nats' | (string & {});

/** State of a dispatcher; `degraded`: it works with fewer workers than `min`, or its circuit is open. */
export type DispatcherState = 'starting' | 'ready' | 'degraded' | 'draining' | 'closed';

/**
 * What a dispatcher has counted since its creation. Plain data that JSON keeps, apart from what is undefined.
 *
 * A dispatcher counts the calls that its workers run. A call whose worker passes it on to another dispatcher is a call of both,
 * so a sum over dispatchers takes only those whose workers do the work: `primaryDispatcher`, of kind `primary`, is none of them.
 * Runs of `broadcast` are no calls: they are not counted.
 */
export interface DispatcherStats {
  readonly name: string;
  readonly kind: DispatcherKind;
  readonly state: DispatcherState;
  /** Calls that wait for a worker, and calls that a worker has. */
  readonly queued: number;
  readonly running: number;
  /** Milliseconds that one more call would wait for a worker: 0 while one has room, undefined while nothing is known. */
  readonly expectedWaitMs: number | undefined;
  readonly asked: number;
  readonly completed: number;
  /** Rejected with what the task threw, or for what could not be cloned. */
  readonly failed: number;
  /** Rejected by the caller's signal or a timeout. */
  readonly aborted: number;
  /** Rejected because of a bound, the circuit, draining, close, or a lost worker. */
  readonly rejected: number;
  /** Those of `rejected` that met `ERR_OVERLOADED`. */
  readonly refused: number;
  readonly retried: number;
  /** Moves of calls from a held-up worker, which had not begun them, to another. */
  readonly moved: number;
  /** Returns of calls by workers that had no room for them, and had not begun them. */
  readonly returned: number;
  /** Workers that ended unasked; those killed for a task that did not stop; those replaced by `recycle` or health. */
  readonly lost: number;
  readonly killed: number;
  readonly recycled: number;
  /** Workers above `min` that ended because they were idle for `idleTimeoutMs`. */
  readonly idled: number;
  readonly spawned: number;
  readonly circuit: 'closed' | 'open' | 'half-open';
  readonly workers: readonly WorkerStats[];
  readonly histograms: {
    /** From the call until it was given to a worker. */
    readonly wait: HistogramSummary;
    /** In the worker. */
    readonly run: HistogramSummary;
    /** The rest: encoding, both ways, waiting in the worker. */
    readonly transport: HistogramSummary;
  };
  /**
   * The same times by bucket: two readings can be subtracted, those of several dispatchers added. The bounds are the 14 that
   * OpenTelemetry advises, 5 ms to 10 s, each moved by 5 % at most.
   */
  readonly buckets: {
    readonly wait: BucketCounts;
    readonly run: BucketCounts;
    readonly transport: BucketCounts;
  };
}

export interface WorkerStats {
  readonly workerId: number;
  /** Its slot, from 0; its successor has the same. */
  readonly slot: number;
  readonly pid: number | undefined;
  /** Of the thread that the worker is, as in `node:worker_threads`. */
  readonly threadId: number | undefined;
  readonly state: 'starting' | 'ready' | 'retiring' | 'stopping';
  /** Calls that it has and has not answered. */
  readonly inFlight: number;
  /** Calls that it holds at most. */
  readonly window: number;
  /** Calls that it has answered. */
  readonly done: number;
  readonly ageMs: number;
  /** Share of time in which its event loop was not idle, 0 to 1, when it last reported; undefined before, and in-process. */
  readonly utilisation: number | undefined;
  /** Bytes it last reported: of the process, or of a thread's heap. */
  readonly memoryBytes: number | undefined;
  /** Bytes of its JavaScript heap in use, when it last reported; undefined before, and in-process. */
  readonly heapBytes: number | undefined;
  /** Latest report of a worker that does more than tasks. */
  readonly report: unknown;
  /** What the `report` hook of its module last returned, within the last second. */
  readonly moduleReport: unknown;
}

/** Times in milliseconds; quantiles within 7 %. All 0 before the first. */
export interface HistogramSummary {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}
