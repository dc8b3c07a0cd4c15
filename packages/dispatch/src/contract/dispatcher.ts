import type { DispatchError } from '../errors.ts';
import type { DispatcherKind, DispatcherState, DispatcherStats } from './stats.ts';
import type {
  InputOf,
  ItemOf,
  Movable,
  OutputOf,
  ProgressOf,
  StreamTask,
  TaskMap,
  TaskWithoutInput,
  TaskWithResult,
} from './task.ts';

/** Runs the tasks of a module, with the same guarantees wherever its workers are. */
export interface Dispatcher<M extends TaskMap> extends AsyncDisposable {
  readonly kind: DispatcherKind;
  readonly capabilities: Capabilities;
  readonly state: DispatcherState;

  /** Resolves when `min` workers take tasks. @throws DispatchError `ERR_CIRCUIT_OPEN`, `ERR_CLOSED` */
  ready(): Promise<void>;

  /**
   * Runs a task once. An error that it throws arrives with name, message, code, own properties, causes and stack.
   * A task without input is run by its name: `run('sweep')`, or with options `run('sweep', undefined, { timeoutMs })`.
   *
   * @throws TypeError or RangeError, as a rejection, for options that are unknown or out of range
   * @throws DispatchError, as a rejection, with a code; or the signal's reason; or the error of the task
   */
  run<K extends TaskWithResult<M> & TaskWithoutInput<M>>(task: K): Promise<OutputOf<M, K>>;
  run<K extends TaskWithResult<M>>(
    task: K,
    input: InputOf<M, K>,
    options?: RunOptions<ProgressOf<M, K>>,
  ): Promise<OutputOf<M, K>>;

  /**
   * Runs a task that is an async generator, or returns another AsyncIterable, and yields its items as they come. The task is
   * asked for an item only while fewer than `window` items are under way or wait here. The call begins with the first `next()`.
   *
   * A consumer that leaves the loop, for instance by `break`, aborts the task: its generator ends at its current `yield`, and its
   * `finally` runs. An error of the task comes after its items; a timeout, the signal, `close()` and a lost worker reject at
   * once, and drop the items that wait.
   *
   * @throws TypeError or RangeError, at once, for wrong options, and where `capabilities.streams` is false; while it is read, as
   * a rejection, the errors of `run`, and TypeError for a task that gives no items
   */
  stream<K extends StreamTask<M> & TaskWithoutInput<M>>(
    task: K,
  ): AsyncIterableIterator<ItemOf<M, K>, undefined>;
  stream<K extends StreamTask<M>>(
    task: K,
    input: InputOf<M, K>,
    options?: StreamOptions<ProgressOf<M, K>>,
  ): AsyncIterableIterator<ItemOf<M, K>, undefined>;

  /**
   * Runs a task for each input and yields each outcome. Reads an input only when there is room for it.
   * A caller that stops early aborts the calls in flight and ends the inputs' iterator.
   *
   * Once the dispatcher refuses calls of the task, no further input is read; each input that was read has an outcome, if only a
   * rejection.
   *
   * @throws the error of the inputs' iterator, after every input that was read has settled; in the same way DispatchError
   * `ERR_DRAINING`, `ERR_CLOSED`, `ERR_UNKNOWN_TASK`, `ERR_CIRCUIT_OPEN`, `ERR_NO_HOST`
   */
  map<K extends keyof M & string>(
    task: K,
    inputs: Iterable<InputOf<M, K>> | AsyncIterable<InputOf<M, K>>,
    options?: MapOptions<ProgressOf<M, K>>,
  ): AsyncIterable<MapOutcome<InputOf<M, K>, OutputOf<M, K>>>;

  /**
   * Runs a task once on every worker that takes tasks, full ones too, and resolves with the outcome of each, in the order of
   * their slots. Waits for workers that hang, unless `options` limit the time. Over machines a worker is a host.
   *
   * With `later` each worker that starts from now on runs the task too, before it takes calls: as a part of its start, which
   * fails if the task fails. The latest broadcast of each task is kept for that, until its `signal` aborts.
   *
   * @throws TypeError or RangeError, as a rejection, for wrong options; DispatchError `ERR_CLOSED`, `ERR_DRAINING`,
   * `ERR_UNKNOWN_TASK`
   */
  broadcast<K extends keyof M & string & TaskWithoutInput<M>>(
    task: K,
  ): Promise<BroadcastOutcome<OutputOf<M, K>>[]>;
  broadcast<K extends keyof M & string>(
    task: K,
    input: InputOf<M, K>,
    options?: BroadcastOptions,
  ): Promise<BroadcastOutcome<OutputOf<M, K>>[]>;

  /**
   * Resolves when a call would not meet `ERR_QUEUE_FULL` or exceed `maxWaitMs`. A call with a `key` waits for one worker alone, and
   * may be refused while other workers have room: pass its key in `options`.
   *
   * @throws the signal's reason; DispatchError `ERR_CLOSED`; TypeError, as a rejection, for wrong options
   */
  capacity(signal?: AbortSignal, options?: CapacityOptions): Promise<void>;

  /** Returns the counts of the dispatcher since its creation. */
  stats(): DispatcherStats;

  /**
   * Replaces every worker, one after the other or `parallel` at a time. A successor takes tasks before the old worker stops;
   * the old one finishes its calls. Concurrent calls for the same module share one reload; a call for another module waits.
   *
   * @throws the error of a new worker's failed start; the old workers stay
   */
  reload(options?: ReloadOptions): Promise<void>;

  /**
   * Refuses further calls (`ERR_DRAINING`), and resolves when the accepted ones have settled. Workers stay until `close`.
   * Later calls return the report of the first one, whatever their options.
   */
  drain(options?: DrainOptions): Promise<DrainReport>;

  /** Rejects open calls with `ERR_CLOSED`, and resolves when every worker and timer is gone. Idempotent. */
  close(options?: CloseOptions): Promise<void>;
}

/** Abilities of a dispatcher, which depend on its kind. */
export interface Capabilities {
  /** Boundary that a task's crash or endless loop does not pass: `none`, its thread, its process. */
  readonly isolation: 'none' | 'thread' | 'process';
  /** True if a task that does not end by itself can be ended. */
  readonly hardKill: boolean;
  /** True if the buffers of `transfer` are moved. If not, they are copied; in-process without `clone` they are passed by reference. */
  readonly transfer: boolean;
  /** True if `stream` works. */
  readonly streams: boolean;
}

/** Options of one call. `Progress` is the type of the data that its task reports. */
export interface RunOptions<Progress = unknown> {
  /**
   * Signal that ends the call: it rejects with `signal.reason`, and the task's own signal aborts. This happens at once; with 16
   * or more calls in flight, an abort in the first 2 ms of a call may be noticed up to 1 ms late. No call is started or answered
   * after its signal was aborted. Default: none.
   */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from the call to its answer, attempts included, 1 to 2^31-1; then `ERR_TIMEOUT`. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds from the call until its task starts, 1 to 2^31-1; then `ERR_QUEUE_TIMEOUT`. Default: no limit. */
  readonly queueTimeoutMs?: number | undefined;
  /** Milliseconds from the start of the task in its worker, 1 to 2^31-1; then `ERR_RUN_TIMEOUT`. Default: no limit. */
  readonly runTimeoutMs?: number | undefined;
  /** Rank among waiting calls, an integer from -1000 to 1000; a higher one goes first, and a step is worth a second of waiting. Default 0. */
  readonly priority?: number | undefined;
  /**
   * Groups calls on one worker: tasks of one key run on one worker while it lives, then on its successor; over machines, on the
   * host that owns the key, which changes only when hosts come or go. Default: any worker.
   */
  readonly key?: string | undefined;
  /** Allows the task to run twice. Default `false`. */
  readonly idempotent?: boolean | undefined;
  /** Further attempts after the loss of a worker, 0 to 100; above 0 only with `idempotent`. Default 0. */
  readonly retries?: number | undefined;
  /**
   * Buffers of the input that are moved, not copied, where `capabilities.transfer` is true: the caller's own are empty then. A
   * moved buffer cannot be sent again, so dispatchers of every kind refuse `transfer` with `retries`. Node's shared pool, which
   * holds small Buffers (`Buffer.from('x').buffer`), is a TypeError. A MessagePort is moved too; between processes none can be
   * moved, and the call rejects with `ERR_NOT_CLONEABLE`. Default: none.
   */
  readonly transfer?: readonly Movable[] | undefined;
  /** Texts for the task, as `context.metadata`. Default: none. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /**
   * Number of a worker that must not run the task. Another worker with room runs it at once; without one the call rejects with
   * `ERR_QUEUE_FULL`, because it never waits. Not with `key` or `retries`. Default: none.
   */
  readonly apartFrom?: number | undefined;
  /** Called with the worker's number whenever the call is given to one, before it is sent. The call rejects with any error that it throws. */
  readonly onWorker?: ((workerId: number) => void) | undefined;
  /**
   * Called once with the error before the call rejects because no worker takes calls (`ERR_CIRCUIT_OPEN`): the caller may run it
   * elsewhere, since no worker has begun it, or it is `idempotent`. With this option a call does not wait for a worker that is
   * known not to come soon, as over machines while the fleet has no host. The call rejects with any error that it throws.
   */
  readonly onNoWorker?: ((error: DispatchError) => void) | undefined;
  /** Called with each progress report of the task, in order, never after the call has settled. The call rejects with any error that it throws. */
  readonly onProgress?: ((data: Progress) => void) | undefined;
}

/** Options of a stream: its limits apply to the whole stream. */
export interface StreamOptions<Progress = unknown> extends RunOptions<Progress> {
  /** Most items that are under way or wait here, 1 to 65,536. Default 16. */
  readonly window?: number | undefined;
  /** Further attempts after the loss of a worker before the first item, 0 to 100; above 0 only with `idempotent`. Default 0. */
  readonly retries?: number | undefined;
}

/** Options of a call that a worker passes on to a dispatcher of its own. */
export interface ForwardedRunOptions extends RunOptions {
  /** Number of this attempt in the eyes of its caller, a positive integer: the task's `context.attempt` counts from it. Default 1. */
  readonly attempt?: number | undefined;
}

/** A call that a task of this process relays. */
export interface ForwardedCall {
  readonly task: string;
  readonly input: unknown;
  readonly options: ForwardedRunOptions | undefined;
}

/** The relaying task of a call: source of the abort signal, sink of progress. */
export interface CallSource {
  /** Calls one listener with the reason of the abort, at once if the task has been aborted. */
  whenAborted(listener: (reason: unknown) => void): void;
  /** Sends a progress report to the caller. */
  progress(data: unknown): void;
  /** Returns the outlet for the items of a stream, undefined for any other call. The one who takes it must send the items. */
  takeItems?(): ItemOutlet | undefined;
}

/** The caller of a relayed stream: items go straight to it, and none waits in between. */
export interface ItemOutlet {
  /** Items that the caller has room for at first. */
  readonly window: number;
  /** Sends an item to the caller. @throws DispatchError for an item that cannot be sent */
  send(item: unknown): void;
  /** Calls one listener with each number of further items that the caller has room for. */
  whenGranted(listener: (items: number) => void): void;
}

/** Options of `map`. */
export interface MapOptions<Progress = unknown>
  extends Omit<RunOptions<Progress>, 'transfer' | 'key' | 'apartFrom' | 'onWorker' | 'onNoWorker'> {
  /**
   * Most tasks in flight, a positive integer; inputs are never read further ahead. Default: all calls that the workers hold,
   * which is `max` times `window`, or, with `auto`, `max` times its largest window: 64, in-process 1024.
   */
  readonly concurrency?: number | undefined;
  /** Yields outcomes in the order of the inputs; `false`: as they settle. Default `true`. */
  readonly ordered?: boolean | undefined;
}

/** Outcome of one input of `map`, in the form of `Promise.allSettled`, with the input and its number from 0. */
export type MapOutcome<I, O> = PromiseSettledResult<O> & {
  readonly input: I;
  readonly index: number;
};

/** Options of `broadcast`: the options of `run` that choose no worker. */
export interface BroadcastOptions
  extends Pick<
    RunOptions,
    'signal' | 'timeoutMs' | 'queueTimeoutMs' | 'runTimeoutMs' | 'priority' | 'metadata'
  > {
  /** Runs the task on workers that start later too, before they take calls. Default `false`. */
  readonly later?: boolean | undefined;
}

/** Outcome of a broadcast on one worker, in the form of `Promise.allSettled`. */
export type BroadcastOutcome<O> = PromiseSettledResult<O> & {
  readonly workerId: number;
  readonly slot: number;
};

/** Options of `capacity`. */
export interface CapacityOptions {
  /** Key of the call that needs room. Default: a call without a key. */
  readonly key?: string | undefined;
}

/** Options of `reload`. */
export interface ReloadOptions {
  /** Address of the module for the new workers and all later ones. Default: the current one. */
  readonly module?: URL | undefined;
  /** Workers that are replaced at a time, 1 to 1024; above the number of workers, all at once. Default 1. */
  readonly parallel?: number | undefined;
}

/** Options of `drain`. */
export interface DrainOptions {
  /** Milliseconds after which running tasks are aborted, 1 to 2^31-1. Default: no limit. */
  readonly timeoutMs?: number | undefined;
}

/** Outcomes of the calls that `drain` waited for. */
export interface DrainReport {
  /** Calls that their task answered, with a value or an error. */
  readonly completed: number;
  /** All other calls: ended by a timeout, their signal, a lost worker or `close()`. */
  readonly aborted: number;
}

/** Options of `close`. */
export interface CloseOptions {
  /** Milliseconds that a worker has to stop before it is killed, 0 to 2^31-1. Default: `stopGraceMs` of the pool. */
  readonly graceMs?: number | undefined;
}
