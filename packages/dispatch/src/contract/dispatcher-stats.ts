import type { DispatcherKind, DispatcherState } from './dispatcher.ts';

/** Times in milliseconds; quantiles within 7 %. All 0 before the first. */
export interface HistogramSummary {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export interface WorkerStats {
  readonly workerId: number;
  /** Its place, from 0: a worker's successor takes its place over. */
  readonly slot: number;
  readonly pid: number | undefined;
  readonly state: 'starting' | 'ready' | 'retiring' | 'stopping';
  /** Tasks it was given and has not answered. */
  readonly inFlight: number;
  /** Tasks it is given at most. */
  readonly window: number;
  /** Tasks it has answered. */
  readonly done: number;
  readonly ageMs: number;
  /** Bytes it last reported: of the process, or of a thread's heap. */
  readonly memoryBytes: number | undefined;
  /** What a worker that does more than tasks last told of itself. */
  readonly report: unknown;
}

/** What a dispatcher counts since its creation. */
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
  /** Taken back from a worker that was held up before it had begun them, and given to others; of one call each time. */
  readonly moved: number;
  /** Workers that ended unasked; those killed for a task that did not stop; those replaced by `recycle` or health. */
  readonly lost: number;
  readonly killed: number;
  readonly recycled: number;
  /** Workers above `min` that ended since they had nothing to do for `idleTimeoutMs`. */
  readonly idled: number;
  readonly spawned: number;
  readonly circuit: 'closed' | 'open' | 'half-open';
  readonly workers: readonly WorkerStats[];
  readonly histograms: {
    /** From the call until its worker was given the task. */
    readonly wait: HistogramSummary;
    /** In the worker. */
    readonly run: HistogramSummary;
    /** The rest: encoding, the way there and back, waiting in the worker. */
    readonly transport: HistogramSummary;
  };
}
