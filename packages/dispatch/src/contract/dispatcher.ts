import type { DispatcherKind, DispatcherState, DispatcherStats } from './stats.ts';
import type {
  InputOf,
  ItemOf,
  Movable,
  OutputOf,
  StreamTask,
  TaskMap,
  TaskWithoutInput,
  TaskWithResult,
} from './task.ts';

export type { DispatcherKind, DispatcherState };

/** Runs the tasks of a module, with the same promises wherever its workers are. */
export interface Dispatcher<M extends TaskMap> extends AsyncDisposable {
  readonly kind: DispatcherKind;
  readonly capabilities: Capabilities;
  readonly state: DispatcherState;

  /** Resolves when `min` workers take tasks. @throws DispatchError `ERR_CIRCUIT_OPEN`, `ERR_CLOSED` */
  ready(): Promise<void>;

  /**
   * Runs a task once. An error that it throws arrives with name, message, code, own properties, causes and stack.
   * A task that takes no input needs none: `run('sweep')`, and with options `run('sweep', undefined, { timeoutMs })`.
   *
   * @throws TypeError or RangeError, as a rejection, for options that are unknown or out of range
   * @throws DispatchError, as a rejection, with a code; or the signal's reason; or what the task threw
   */
  run<K extends TaskWithResult<M> & TaskWithoutInput<M>>(task: K): Promise<OutputOf<M, K>>;
  run<K extends TaskWithResult<M>>(
    task: K,
    input: InputOf<M, K>,
    options?: RunOptions,
  ): Promise<OutputOf<M, K>>;

  /**
   * Runs a task that is an async generator, or returns another AsyncIterable, and yields its items as they come. The task is
   * asked for an item only while fewer than `window` are under way or wait here. The call begins with the first `next()`.
   *
   * A consumer that leaves, as by `break`, aborts the task: its generator ends where it stands, and its `finally` runs. What the
   * task throws comes after its items; a timeout, the signal, `close()` and a lost worker reject at once, and drop what waits.
   *
   * @throws TypeError or RangeError, at once, for wrong options, and where `capabilities.streams` is false; while it is read, as
   * a rejection, what `run` rejects with, and TypeError for a task that gives no items
   */
  stream<K extends StreamTask<M> & TaskWithoutInput<M>>(
    task: K,
  ): AsyncIterableIterator<ItemOf<M, K>, undefined>;
  stream<K extends StreamTask<M>>(
    task: K,
    input: InputOf<M, K>,
    options?: StreamOptions,
  ): AsyncIterableIterator<ItemOf<M, K>, undefined>;

  /**
   * Runs a task for each input and yields each outcome. Reads an input only when there is room for it.
   * A caller that stops early aborts what is in flight and ends the inputs' iterator.
   *
   * Once no call of the task is taken, no further input is read; each that was is an outcome, perhaps a rejection.
   *
   * @throws what the inputs' iterator throws, after what was read has settled; in the same way DispatchError `ERR_DRAINING`,
   * `ERR_CLOSED`, `ERR_UNKNOWN_TASK`, `ERR_CIRCUIT_OPEN`, `ERR_NO_HOST`
   */
  map<K extends keyof M & string>(
    task: K,
    inputs: Iterable<InputOf<M, K>> | AsyncIterable<InputOf<M, K>>,
    options?: MapOptions,
  ): AsyncIterable<MapOutcome<InputOf<M, K>, OutputOf<M, K>>>;

  /**
   * Runs a task once on every worker that takes tasks, full ones too, and resolves with the outcome of each, in the order of
   * their slots. It waits for workers that hang, unless `options` limit the time. Over machines a worker is a host.
   *
   * With `later` each worker that starts from now on runs it too, before it takes calls: as a part of its start, which fails
   * with the task. Of each task the latest broadcast is kept, until its `signal` aborts.
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
   * may be refused while others have room: name its key.
   *
   * @throws the signal's reason; DispatchError `ERR_CLOSED`; TypeError, as a rejection, for wrong options
   */
  capacity(signal?: AbortSignal, options?: CapacityOptions): Promise<void>;

  /** Returns what the dispatcher has counted since its creation. */
  stats(): DispatcherStats;

  /**
   * Replaces every worker, one after the other or `parallel` at a time. A successor takes tasks before the old worker stops;
   * the old one finishes what it has. Concurrent calls for the same module share one reload; a call for another module waits.
   *
   * @throws the error with which a new worker failed to start; the old workers stay
   */
  reload(options?: ReloadOptions): Promise<void>;

  /**
   * Stops taking tasks (`ERR_DRAINING`), and resolves when the accepted ones have settled. Workers stay until `close`.
   * Later calls return the report of the first one, whatever their options.
   */
  drain(options?: DrainOptions): Promise<DrainReport>;

  /** Rejects open calls with `ERR_CLOSED`, and resolves when every worker and timer is gone. Idempotent. */
  close(options?: CloseOptions): Promise<void>;
}

/** What a dispatcher can and cannot do. */
export interface Capabilities {
  /** What a task that crashes or loops forever cannot harm: nothing, other threads, other processes. */
  readonly isolation: 'none' | 'thread' | 'process';
  /** Whether a task that does not end by itself can be ended. */
  readonly hardKill: boolean;
  /** Whether the buffers of `transfer` are moved. If not, they are copied; in-process without `clone` handed over as they are. */
  readonly transfer: boolean;
  /** Whether there is `stream`. */
  readonly streams: boolean;
}

/** How one task is run. */
export interface RunOptions {
  /**
   * Gives up: the call rejects with `signal.reason`, and the task's own signal aborts. This happens at once; with 16 or more
   * calls in flight, an abort in the first 2 ms of a call may be noticed up to 1 ms late. No call is started or answered after
   * its signal was aborted.
   */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from the call to its answer, attempts included, 1 to 2^31-1; then `ERR_TIMEOUT`. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds until the task has started, 1 to 2^31-1; then `ERR_QUEUE_TIMEOUT`. Default: no limit. */
  readonly queueTimeoutMs?: number | undefined;
  /** Milliseconds from the start of the task in its worker, 1 to 2^31-1; then `ERR_RUN_TIMEOUT`. Default: no limit. */
  readonly runTimeoutMs?: number | undefined;
  /** Higher goes first; a step is worth a second of waiting. An integer, -1000 to 1000. Default 0. */
  readonly priority?: number | undefined;
  /**
   * Tasks of one key run on one worker while it lives, then on its successor; over machines, on the host that owns the key
   * while hosts neither come nor go. Default: any worker.
   */
  readonly key?: string | undefined;
  /** States that the task may run twice. Default `false`. */
  readonly idempotent?: boolean | undefined;
  /** How often the task is restarted if its worker is lost, 0 to 100; above 0 only with `idempotent`. Default 0. */
  readonly retries?: number | undefined;
  /**
   * Buffers of the input that are moved, not copied, where `capabilities.transfer` is true: then the caller's are empty. They
   * cannot be sent again, so `retries` is refused with any, in every kind. A TypeError for Node's shared pool, which holds
   * small Buffers (`Buffer.from('x').buffer`). A MessagePort is moved too; between processes, where none can be,
   * `ERR_NOT_CLONEABLE`. Default: none.
   */
  readonly transfer?: readonly Movable[] | undefined;
  /** Texts that the task gets as `context.metadata`. Default: none. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /**
   * Number of a worker that must not run the task: another one with room runs it at once, or the call rejects with
   * `ERR_QUEUE_FULL`, since it never waits. Not with `key` or `retries`. Default: none.
   */
  readonly apartFrom?: number | undefined;
  /** Called with the number of the worker whenever the call is given to one, before it is sent. If it throws, the call rejects with that. */
  readonly onWorker?: ((workerId: number) => void) | undefined;
  /** Called with what the task reports, in order, never after the call has settled. If it throws, the call rejects with that. */
  readonly onProgress?: ((data: unknown) => void) | undefined;
}

/** How a task that gives items is run: limits are those of the whole stream. */
export interface StreamOptions extends RunOptions {
  /** Items that are under way or wait here at most, 1 to 65,536. Default 16. */
  readonly window?: number | undefined;
  /** How often the task is restarted if its worker is lost before the first item, 0 to 100; only with `idempotent`. Default 0. */
  readonly retries?: number | undefined;
}

/** Options of a call that a worker passes on to a dispatcher of its own. */
export interface ForwardedRunOptions extends RunOptions {
  /** Number of the attempt that it is for its caller, a positive integer: the task's `context.attempt` counts from it. Default 1. */
  readonly attempt?: number | undefined;
}

/** A call that a task of this process passes on. */
export interface ForwardedCall {
  readonly task: string;
  readonly input: unknown;
  readonly options: ForwardedRunOptions | undefined;
}

/** A task of this process that passes a call on: it stands for the caller's signal and `onProgress`. */
export interface CallSource {
  /** Calls one listener with the reason of an abort, at once if it was before. */
  whenAborted(listener: (reason: unknown) => void): void;
  progress(data: unknown): void;
  /** Returns where the items go, if the call is a stream: who asks sends them there. */
  takeItems?(): ItemOutlet | undefined;
}

/** The caller of a stream that a task of this process passes on: no item waits in between. */
export interface ItemOutlet {
  /** Items that it has room for at first. */
  readonly window: number;
  /** Sends an item to it. @throws DispatchError for one that cannot be sent */
  send(item: unknown): void;
  /** Calls one listener with the number of further items that it has room for. */
  whenGranted(listener: (items: number) => void): void;
}

/** How many tasks are run over an iterable. */
export interface MapOptions
  extends Omit<RunOptions, 'transfer' | 'key' | 'apartFrom' | 'onWorker'> {
  /**
   * Tasks in flight at most, a positive integer; inputs are never read further ahead. Default: what the workers hold, which is
   * `max` times `window`, or times the most that `auto` may reach: 64, in-process 1024.
   */
  readonly concurrency?: number | undefined;
  /** Whether results come in the order of the inputs (default), or as they settle. */
  readonly ordered?: boolean | undefined;
}

/** How one input of `map` fared, as in `Promise.allSettled`; with the input, and its number among the inputs, from 0. */
export type MapOutcome<I, O> = PromiseSettledResult<O> & {
  readonly input: I;
  readonly index: number;
};

/** How a task is run on every worker: options of `run`, without those that choose a worker. */
export interface BroadcastOptions
  extends Pick<
    RunOptions,
    'signal' | 'timeoutMs' | 'queueTimeoutMs' | 'runTimeoutMs' | 'priority' | 'metadata'
  > {
  /** Whether workers that start later run it too, before they take calls. Default `false`. */
  readonly later?: boolean | undefined;
}

/** How a worker fared with a broadcast. */
export type BroadcastOutcome<O> = PromiseSettledResult<O> & {
  readonly workerId: number;
  readonly slot: number;
};

/** The call for which there is to be room. */
export interface CapacityOptions {
  /** As of the call. Default: a call without a key. */
  readonly key?: string | undefined;
}

export interface ReloadOptions {
  /** Address of the module that workers load from now on. Default: the current one. */
  readonly module?: URL | undefined;
  /** Workers that are replaced at a time, 1 to 1024; above the number of workers, all at once. Default 1. */
  readonly parallel?: number | undefined;
}

export interface DrainOptions {
  /** Milliseconds after which running tasks are aborted, 1 to 2^31-1. Default: no limit. */
  readonly timeoutMs?: number | undefined;
}

/** How the calls ended that `drain` waited for. */
export interface DrainReport {
  /** Answered by their task, with a value or an error. */
  readonly completed: number;
  /** All others: by a timeout, their signal, a lost worker, `close()`. */
  readonly aborted: number;
}

export interface CloseOptions {
  /** Milliseconds a worker has to stop before it is killed, 0 to 2^31-1. Default: `stopGraceMs` of the pool. */
  readonly graceMs?: number | undefined;
}
