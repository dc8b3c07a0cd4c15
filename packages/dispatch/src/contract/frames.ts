/** What the kernel tells a worker. Inputs are values; a transport encodes them as it needs. */
export type ToWorker =
  | RunFrame
  | AbortFrame
  | { readonly kind: 'health' }
  | { readonly kind: 'stop' };

/** Runs a task. Frames of one worker have `seq` 1, 2, 3…; the worker starts them in this order. */
export interface RunFrame {
  readonly kind: 'run';
  readonly seq: number;
  readonly id: number;
  readonly task: string;
  readonly input: unknown;
  readonly attempt: number;
  readonly deadline: number | undefined;
  readonly metadata: Readonly<Record<string, string>> | undefined;
  readonly transfer: readonly ArrayBuffer[] | undefined;
  /** Whether the worker says `started` before it calls the task. */
  readonly announce: boolean;
}

/** Aborts a task's signal with a reason; one that has not started is `dropped`. Unknown and settled ones are passed over. */
export interface AbortFrame {
  readonly kind: 'abort';
  readonly seq: number;
  readonly reason: unknown;
}

/** What a worker tells the kernel. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly tasks: readonly string[] }
  /** The worker exits by itself after it. `final`: another try would fail alike, as for a module that exports no tasks. */
  | { readonly kind: 'start-failed'; readonly error: unknown; readonly final: boolean }
  | { readonly kind: 'started'; readonly seq: number }
  | { readonly kind: 'done'; readonly seq: number; readonly value: unknown; readonly runMs: number }
  | {
      readonly kind: 'failed';
      readonly seq: number;
      readonly error: unknown;
      readonly runMs: number;
    }
  /** Aborted, past its deadline or met by `stop` before it started: it never ran. */
  | { readonly kind: 'dropped'; readonly seq: number }
  | { readonly kind: 'progress'; readonly seq: number; readonly data: unknown }
  /** Of the time since the last one: milliseconds in all, and milliseconds that the event loop was not idle. */
  | {
      readonly kind: 'load';
      readonly elapsedMs: number;
      readonly activeMs: number;
      readonly memoryBytes: number | undefined;
    }
  /** Answers `health`; with `error` if the module's `health` hook failed. */
  | { readonly kind: 'healthy'; readonly error?: unknown }
  | ReportFrame
  | RecycleFrame;

/** Numbers of a worker that does more than tasks; the latest are in `stats()`. */
export interface ReportFrame {
  readonly kind: 'report';
  readonly data: unknown;
  /** It has worked, as if it had answered a task: if it ends now, its start was no failure. */
  readonly worked: boolean;
}

/** The worker asks to be replaced. */
export interface RecycleFrame {
  readonly kind: 'recycle';
}
