import type { MessagePort } from 'node:worker_threads';

/**
 * Facts and functions that a task gets besides its input. `Progress` is the type of the data that the task reports, and so of the
 * data that the caller's `onProgress` gets: `(query: Query, { progress }: TaskContext<{ done: number }>) => …`.
 */
export interface TaskContext<Progress = unknown> {
  /** Aborts when no caller is waiting any longer: after the caller's signal, a timeout or `close()`. */
  readonly signal: AbortSignal;
  /** Number of the call; the same for each attempt. */
  readonly id: number;
  /** Number of the attempt, 1 for the first. Above 1 only for a call that is `idempotent`. */
  readonly attempt: number;
  /** Epoch milliseconds at which the caller gives up, if it set `timeoutMs`. */
  readonly deadline: number | undefined;
  readonly workerId: number;
  /** Slot of the worker, from 0; its successor has the same one. Over machines: the slot of the host's own worker. */
  readonly slot: number;
  /** Value of the dispatcher's option `workerData` for this worker; undefined without it. Over machines: the value of the host's own worker. */
  readonly workerData: unknown;
  /** The caller's `metadata`. */
  readonly metadata: Readonly<Record<string, string>>;
  /**
   * Sends cloneable data to the caller's `onProgress`, in order. Does nothing after the task has settled. May be called without
   * its context: `(input, { progress }) => progress(1)`.
   */
  readonly progress: (this: void, data: Progress) => void;
}

/** An object that can be moved to a worker and back: a buffer, or one end of a port. */
export type Movable = ArrayBuffer | MessagePort;

/** JSON text that a task returns and its caller gets as a Buffer, without parsing it. Made by `rawJson`. */
export interface RawJson {
  readonly kind: 'ticketing.raw-json';
  readonly bytes: Uint8Array;
}

/** A value whose buffers are moved to the caller where the transport can, else copied. Made by `transferred`. */
export interface Transferred<T> {
  readonly kind: 'ticketing.transferred';
  readonly value: T;
  readonly transfer: readonly Movable[];
}

/** A function that a dispatcher runs: one input, one output. Both are structured clones between processes. */
export type TaskFn<I, O, Progress = unknown> = (
  input: I,
  context: TaskContext<Progress>,
) => O | Promise<O>;

/** A function that a dispatcher streams: one input, many items. An async generator is one. */
export type StreamFn<I, O, Progress = unknown> = (
  input: I,
  context: TaskContext<Progress>,
) => AsyncIterable<O>;

/** Tasks by name. */
// biome-ignore lint/suspicious/noExplicitAny: each task has its own input type, which any callable type must accept
export type TaskMap = Readonly<Record<string, (input: any, context: TaskContext) => unknown>>;

/** The input of a task; `undefined` if it has none. */
export type InputOf<M extends TaskMap, K extends keyof M> =
  Parameters<M[K]> extends [] ? undefined : Parameters<M[K]>[0];

/** The data that a task reports by `context.progress`; `unknown` if its context has no type of its own. */
export type ProgressOf<M extends TaskMap, K extends keyof M> =
  Parameters<M[K]> extends readonly [unknown?, TaskContext<infer Progress>?, ...unknown[]]
    ? Progress
    : unknown;

/** The names of tasks that may be run without an input. */
export type TaskWithoutInput<M extends TaskMap> = {
  [K in keyof M & string]: undefined extends InputOf<M, K> ? K : never;
}[keyof M & string];

/** The result of `run` for a task: a Buffer for raw JSON. */
export type OutputOf<M extends TaskMap, K extends keyof M> = Delivered<Awaited<ReturnType<M[K]>>>;

/** The items of `stream` for a task: Buffers for raw JSON. */
export type ItemOf<M extends TaskMap, K extends keyof M> =
  ReturnType<M[K]> extends AsyncIterable<infer T> ? Delivered<T> : unknown;

/** The names of tasks for `stream`, which give items. */
export type StreamTask<M extends TaskMap> = {
  [K in keyof M & string]: true extends GivesItems<ReturnType<M[K]>> ? K : never;
}[keyof M & string];

/** The names of tasks for `run`, which give one result. */
export type TaskWithResult<M extends TaskMap> = {
  [K in keyof M & string]: GivesItems<ReturnType<M[K]>> extends true ? never : K;
}[keyof M & string];

/** Both `true` and `false` for `any`, so that such a task fits `run` and `stream`. */
type GivesItems<R> = [R] extends [never]
  ? false
  : 0 extends 1 & R
    ? boolean
    : R extends AsyncIterable<unknown>
      ? true
      : false;

type Delivered<O> = O extends RawJson ? Buffer : O extends Transferred<infer T> ? T : O;

/** Functions that a worker calls besides its tasks. */
export interface TaskHooks {
  /** Runs before the worker takes tasks; a rejection is a failed start. A worker and its successor have one slot. */
  readonly setup?: (worker: Pick<TaskContext, 'workerId' | 'slot' | 'workerData'>) => unknown;
  /** Runs after the last task of a worker that is asked to stop. */
  readonly teardown?: () => unknown;
  /** Runs at each health check; if it rejects, the worker is replaced. */
  readonly health?: () => unknown;
  /**
   * Returns cloneable figures of the worker, such as counters of its connections; `stats().workers[].moduleReport` has the
   * latest. Called at the start and twice a second. Errors, and values that cannot be cloned, are ignored.
   */
  readonly report?: () => unknown;
}

/** The default export of a module that workers load. */
export interface TaskModule<M extends TaskMap> {
  readonly tasks: M;
  readonly hooks: TaskHooks;
}

/** The type of a module that workers load, `typeof import('./tasks.ts')`, or of its default export. */
export type TaskSource = { readonly default: TaskModule<TaskMap> } | TaskModule<TaskMap>;

/** The tasks of a module: `Dispatcher<TasksOf<typeof import('./tasks.ts')>>`. */
export type TasksOf<S extends TaskSource> = S extends { readonly default: TaskModule<infer M> }
  ? M
  : S extends TaskModule<infer M>
    ? M
    : never;
