import type { Capabilities, DispatcherKind } from './dispatcher.ts';

/** Makes workers of one kind. The kernel decides when, and what they do. */
export interface Transport {
  readonly kind: DispatcherKind;
  readonly capabilities: Capabilities;
  /** What `window: 'auto'` begins with and never exceeds. */
  readonly autoWindow: { readonly first: number; readonly max: number };
  /**
   * Starts a worker. It reports `ready` or `start-failed` as a frame, and its end by `exit`, exactly once, after
   * its last frame, and never within this call. What this call throws is a failed start.
   */
  spawn(worker: WorkerStart, events: WorkerEvents): WorkerHandle;
  /** Releases what the workers share, after the last one is gone. */
  close(): Promise<void>;
}

export interface WorkerStart {
  /** Unique within the dispatcher, from 1. */
  readonly workerId: number;
  /** Replaces the module that the transport was made with, after `reload({ module })`. */
  readonly module: URL | undefined;
}

export interface WorkerEvents {
  /** What came in one message, in order. */
  frames(frames: readonly FromWorker[]): void;
  exit(end: WorkerEnd): void;
}

/** How a worker ended. */
export interface WorkerEnd {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** The last of what it wrote to standard error, 4 KiB at most; '' if it is not captured. */
  readonly stderrTail: string;
  /** What ended it, if that is known. */
  readonly cause?: unknown;
}

export interface WorkerHandle {
  /** Of the process that the worker is, or is in. */
  readonly pid: number | undefined;
  /**
   * Sends frames in their order, in one message where it can.
   *
   * @returns those `run` frames whose input could not be cloned; they are not sent, the others are
   */
  send(frames: readonly ToWorker[]): readonly Unsent[];
  /** Highest `seq` that the worker has started, also after its end and whatever the way it ended; 0 before. */
  started(): number;
  /**
   * Takes calls back that the worker has not begun. Gives those that it will never run, whatever becomes of it: the kernel
   * gives them to others. The rest has begun, or is settled or `dropped` as it would be without asking; the kernel may ask again.
   * Without this method what was sent to a worker stays with it until it answers or ends.
   */
  reclaim?(seqs: readonly number[]): readonly number[];
  /** Ends the worker now, whatever it does; `exit` follows. */
  kill(): void;
  /** Whether the worker keeps this process alive. At first it does. */
  hold(alive: boolean): void;
}

export interface Unsent {
  readonly seq: number;
  readonly error: unknown;
}

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
