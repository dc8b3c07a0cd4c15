import type { RawJson, Transferred } from '../task-results.ts';

/** What a task learns besides its input. */
export interface TaskContext {
  /** Aborts when the answer is no longer wanted: the caller's signal, a timeout, `close()`. */
  readonly signal: AbortSignal;
  /** Of the call; the same for each attempt. */
  readonly id: number;
  /** 1 for the first. Above 1 only for a call that is `idempotent`. */
  readonly attempt: number;
  /** Epoch milliseconds at which the caller gives up, if it set `timeoutMs`. */
  readonly deadline: number | undefined;
  readonly workerId: number;
  /** What the caller gave as `metadata`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Gives the caller's `onProgress` what can be cloned, in order. After the task has settled it does nothing. */
  progress(data: unknown): void;
}

/** Code that a dispatcher runs: one input, one output. Both cross a process as structured clones. */
export type TaskFn<I, O> = (input: I, context: TaskContext) => O | Promise<O>;

/** Tasks by name. */
// biome-ignore lint/suspicious/noExplicitAny: each task has an input of its own, which any callable type must admit
export type TaskMap = Readonly<Record<string, (input: any, context: TaskContext) => unknown>>;

/** What a task takes; `undefined` if it takes nothing. */
export type InputOf<M extends TaskMap, K extends keyof M> =
  Parameters<M[K]> extends [] ? undefined : Parameters<M[K]>[0];

/** What `run` gives for a task: JSON that is passed on unparsed is a Buffer. */
export type OutputOf<M extends TaskMap, K extends keyof M> = Delivered<Awaited<ReturnType<M[K]>>>;

type Delivered<O> = O extends RawJson ? Buffer : O extends Transferred<infer T> ? T : O;

/** What a worker does besides its tasks. */
export interface TaskHooks {
  /** Runs before the worker takes tasks; a rejection is a failed start. */
  readonly setup?: (worker: { readonly workerId: number }) => unknown;
  /** Runs when the worker is asked to stop, after its last task. */
  readonly teardown?: () => unknown;
  /** Asked now and then; a rejection has the worker replaced. */
  readonly health?: () => unknown;
}

/** The default export of a module that workers load. */
export interface TaskModule<M extends TaskMap> {
  readonly tasks: M;
  readonly hooks: TaskHooks;
}
