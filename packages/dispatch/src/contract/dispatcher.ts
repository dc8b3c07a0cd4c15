import type { DispatcherStats } from './dispatcher-stats.ts';
import type { MapOptions, RunOptions } from './run-options.ts';
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
