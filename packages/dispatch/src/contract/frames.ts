import type { ExtraFrame } from './session-frames.ts';
import type { Movable } from './task.ts';

/** A message from the kernel to a worker. Inputs are values; a transport encodes them as it needs. */
export type ToWorker =
  | RunFrame
  | AbortFrame
  | CreditFrame
  | PollFrame
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
  readonly transfer: readonly Movable[] | undefined;
  /** True if the worker must send `started` before it calls the task. */
  readonly announce: boolean;
  /** Items that the worker may send before it gets more credit; undefined for a call of `run`, whose task gives none. */
  readonly credit?: number | undefined;
  /** True if the task is marked by `json`, so its input goes as JSON. */
  readonly json?: boolean | undefined;
}

/** Lets the worker send `items` more items, because the caller has taken some. Ignored for unknown and settled tasks. */
export interface CreditFrame {
  readonly kind: 'credit';
  readonly seq: number;
  readonly items: number;
}

/** Turns polling on or off: an idle worker that polls looks for its next call before it sleeps. Off at first; sent only by transports with `polls`. */
export interface PollFrame {
  readonly kind: 'poll';
  readonly on: boolean;
}

/** Aborts a task's signal with a reason; a task that has not started is `dropped`. Ignored for unknown and settled tasks. */
export interface AbortFrame {
  readonly kind: 'abort';
  readonly seq: number;
  readonly reason: unknown;
}

/** A message from a worker to the kernel: a frame of every transport, or one of those in `extraFrames`. */
export type FromWorker = WorkerFrame | ExtraFrame;

/** A frame that any worker may send. */
type WorkerFrame =
  | {
      readonly kind: 'ready';
      readonly tasks: readonly string[];
      /** Names of the tasks that are marked by `json`. */
      readonly jsonTasks?: readonly string[] | undefined;
    }
  /** Comes before the worker exits by itself. `final`: another start would fail the same way, for instance because the module has no tasks. */
  | { readonly kind: 'start-failed'; readonly error: unknown; readonly final: boolean }
  | { readonly kind: 'started'; readonly seq: number }
  | {
      readonly kind: 'done';
      readonly seq: number;
      readonly value: unknown;
      readonly runMs: number;
      readonly json?: boolean | undefined;
    }
  | {
      readonly kind: 'failed';
      readonly seq: number;
      readonly error: unknown;
      readonly runMs: number;
    }
  /** A call that never ran: it was aborted, past its deadline, taken back, or `stop` came before it started. */
  | { readonly kind: 'dropped'; readonly seq: number }
  | { readonly kind: 'progress'; readonly seq: number; readonly data: unknown }
  /** Next item of a stream; `done`, without a value, or `failed` follows the last one. */
  | {
      readonly kind: 'item';
      readonly seq: number;
      readonly value: unknown;
      readonly json?: boolean | undefined;
    }
  /**
   * Milliseconds since the previous `load`, in all and with a busy event loop. `window: 'auto'` adapts to it: a worker that never
   * sends it keeps `autoWindow.first`, or the window of its latest `room` if that is smaller.
   */
  | {
      readonly kind: 'load';
      readonly elapsedMs: number;
      readonly activeMs: number;
      readonly memoryBytes: number | undefined;
      /** Bytes of the JavaScript heap in use. */
      readonly heapBytes?: number | undefined;
    }
  /** Answers `health`; with `error` if the module's `health` hook failed. */
  | { readonly kind: 'healthy'; readonly error?: unknown }
  /** Latest result of the module's `report` hook. */
  | { readonly kind: 'module-report'; readonly data: unknown }
  | RecycleFrame;

/** Asks for a replacement of the worker. */
export interface RecycleFrame {
  readonly kind: 'recycle';
}
