import type { InputOf, OutputOf, TaskMap } from './task.ts';

/** What a dispatcher can and cannot do. */
export interface Capabilities {
  /** What a crash of a task, or a loop without end, can harm. */
  readonly isolation: 'none' | 'thread' | 'process';
  /** Whether a task that does not end by itself can be ended. */
  readonly hardKill: boolean;
  /** Whether buffers can be moved instead of copied. */
  readonly transfer: boolean;
}

/** How the calls ended that `drain` waited for. */
export interface DrainReport {
  /** Answered by their task, with a value or an error. */
  readonly completed: number;
  /** All others: by a timeout, their signal, a lost worker, `close()`. */
  readonly aborted: number;
}

export interface DrainOptions {
  /** Milliseconds after which what still runs is aborted, 1 to 2^31-1. Default: no limit. */
  readonly timeoutMs?: number;
}

export interface ReloadOptions {
  /** Address of the module that workers load from now on. Default: the one that they have. */
  readonly module?: URL;
  /** Workers that are replaced at a time, 1 to 1024; with more than there are, all at once. Default 1. */
  readonly parallel?: number;
}

export interface CloseOptions {
  /** Milliseconds a worker has to stop before it is killed, 0 to 2^31-1. Default: `stopGraceMs` of the pool. */
  readonly graceMs?: number;
}

/** Runs the tasks of a module somewhere, with the same promises wherever that is. */
export interface Dispatcher<M extends TaskMap> extends AsyncDisposable {
  readonly kind: DispatcherKind;
  readonly capabilities: Capabilities;
  readonly state: DispatcherState;

  /** Resolves when `min` workers take tasks. @throws DispatchError `ERR_CIRCUIT_OPEN`, `ERR_CLOSED` */
  ready(): Promise<void>;

  /**
   * Runs a task once. What it throws arrives with name, message, code, own properties, causes and stack.
   *
   * @throws TypeError or RangeError, as a rejection, for options that are unknown or out of range
   * @throws DispatchError, as a rejection, with a code; or the signal's reason; or what the task threw
   */
  run<K extends keyof M & string>(
    task: K,
    input: InputOf<M, K>,
    options?: RunOptions,
  ): Promise<OutputOf<M, K>>;

  /**
   * Runs a task for each input and gives each outcome. Reads an input only when there is room for it.
   * A caller that stops early aborts what is in flight and ends the inputs' iterator.
   *
   * @throws what the inputs' iterator throws, after what was read has settled
   */
  map<K extends keyof M & string>(
    task: K,
    inputs: Iterable<InputOf<M, K>> | AsyncIterable<InputOf<M, K>>,
    options?: MapOptions,
  ): AsyncIterable<PromiseSettledResult<OutputOf<M, K>>>;

  /** Resolves when a call would not meet `ERR_QUEUE_FULL` or exceed `maxWaitMs`. @throws the signal's reason; DispatchError `ERR_CLOSED` */
  capacity(signal?: AbortSignal): Promise<void>;

  stats(): DispatcherStats;

  /**
   * Replaces every worker, one after the other or `parallel` at a time: the new one takes tasks before the old one stops,
   * which finishes what it has. Calls for the same module at once are one; a call for another waits for the one under way.
   *
   * @throws what the new worker's start failed with; the old workers stay
   */
  reload(options?: ReloadOptions): Promise<void>;

  /**
   * Takes no more tasks (`ERR_DRAINING`), and resolves when those it has have settled. Workers stay until `close`.
   * Further calls give the report of the first one, whatever their options.
   */
  drain(options?: DrainOptions): Promise<DrainReport>;

  /** Rejects what it has with `ERR_CLOSED`, and resolves when every worker and timer is gone. Idempotent. */
  close(options?: CloseOptions): Promise<void>;
}

/** Where tasks run. Transports of others have names of their own. */
export type DispatcherKind = 'in-process' | 'fork' | 'cluster' | 'piscina' | (string & {});

/** `degraded`: it works with fewer workers than `min`, or its circuit is open. */
export type DispatcherState = 'starting' | 'ready' | 'degraded' | 'draining' | 'closed';

/** How one task is run. */
export interface RunOptions {
  /** Gives up: the call rejects with `signal.reason` at once, and the task's own signal aborts. */
  readonly signal?: AbortSignal;
  /** Milliseconds from the call to its answer, attempts included, 1 to 2^31-1; then `ERR_TIMEOUT`. Default: no limit. */
  readonly timeoutMs?: number;
  /** Milliseconds until the task has started, 1 to 2^31-1; then `ERR_QUEUE_TIMEOUT`. Default: no limit. */
  readonly queueTimeoutMs?: number;
  /** Milliseconds from the start of the task in its worker, 1 to 2^31-1; then `ERR_RUN_TIMEOUT`. Default: no limit. */
  readonly runTimeoutMs?: number;
  /** Higher goes first; a step is worth a second of waiting. An integer, -1000 to 1000. Default 0. */
  readonly priority?: number;
  /** Tasks of one key run on one worker, while it lives; its successor takes over. Default: any worker. */
  readonly key?: string;
  /** States that the task may run twice. Default `false`. */
  readonly idempotent?: boolean;
  /** How often the task is started anew if its worker is lost, 0 to 100; above 0 only with `idempotent`. Default 0. */
  readonly retries?: number;
  /**
   * Buffers of the input that are moved, not copied; the call is lost with its worker, so not with `retries`. A TypeError
   * where `capabilities.transfer` is false.
   */
  readonly transfer?: readonly ArrayBuffer[];
  /** Texts that the task gets as `context.metadata`. Default: none. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Gets what the task reports, in order, never after the call has settled. If it throws, the call rejects with that. */
  readonly onProgress?: (data: unknown) => void;
}

/** How many tasks are run over an iterable. */
export interface MapOptions extends Omit<RunOptions, 'transfer' | 'key'> {
  /** Tasks in flight at most, a positive integer; that many inputs are read ahead, no more. Default: twice the workers. */
  readonly concurrency?: number;
  /** Whether results come in the order of the inputs (default), or as they settle. */
  readonly ordered?: boolean;
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
