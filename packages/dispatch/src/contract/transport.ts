import type { Capabilities, DispatcherKind } from './dispatcher.ts';
import type { Movable } from './task.ts';

/** Makes workers of one kind. The kernel decides when, and what they do. */
export interface Transport {
  readonly kind: DispatcherKind;
  readonly capabilities: Capabilities;
  /**
   * What `window: 'auto'` begins with and never exceeds. `bytes`: what the way to a worker has room for, if more leaves it idle;
   * its handle has `bytes` then.
   */
  readonly autoWindow: { readonly first: number; readonly max: number; readonly bytes?: number };
  /**
   * Starts a worker. It reports `ready` or `start-failed` as a frame, and its end by `exit`: exactly once, after
   * its last frame, and never within this call. An error that this call throws is a failed start.
   */
  spawn(worker: WorkerStart, events: WorkerEvents): WorkerHandle;
  /**
   * Returns the number of the worker that runs the calls of a key, one of `workerIds`, which take tasks now: for transports
   * whose dispatchers must agree who owns a key. `undefined`: none of them is the owner, so any worker runs the call. Asked for
   * each call with a key, and again for those that wait whenever a worker comes or goes; must be quick, and must not throw.
   * Without this method keys belong to slots.
   */
  homeOf?(key: string, workerIds: readonly number[]): number | undefined;
  /** Whether workers may differ in speed, as machines do: calls go where they are likely to be answered first. Default: to the worker with the fewest. */
  readonly mayDifferInSpeed?: boolean;
  /**
   * Whether small calls are answered within microseconds if neither side sleeps: then the kernel polls for answers, and has
   * its workers poll for calls (`PollFrame`), as far as `busyPoll` of the pool allows. Default `false`.
   */
  readonly polls?: boolean;
  /**
   * Returns why no worker takes calls yet, for one that comes from elsewhere and may be long in coming: the cause of the error of
   * a call that ends meanwhile. Default: why the latest start failed.
   */
  whyUnready?(): unknown;
  /** Frames that its workers may send beside those of every worker. Without them the kernel ignores such frames. Default: none. */
  readonly extraFrames?: readonly ExtraFrame['kind'][];
  /** For errors, where a worker does more than tasks. */
  readonly words?: TransportWords;
  /** Releases what the workers share, after the last one is gone. */
  close(): Promise<void>;
}

/** How errors speak of a worker's start. */
interface TransportWords {
  /** What a worker has done once it has started, as in `it listened`. */
  readonly started: string;
  /** What proves that its start was good, as in `its first answer`. */
  readonly proof: string;
  /** What its program must do to start, as in `it must call ...`. */
  readonly hint: string;
}

export interface WorkerStart {
  /** Unique within the dispatcher, from 1. */
  readonly workerId: number;
  /** From 0; its successor has the same. */
  readonly slot: number;
  /** Replaces the module that the transport was made with, after `reload({ module })`. */
  readonly module: URL | undefined;
  /**
   * What the worker's tasks get as `context.workerData`. The transport clones it on its way, if it clones inputs; a
   * `DataCloneError` that `spawn` throws for it is a start that is not tried again at once.
   */
  readonly workerData?: unknown;
}

export interface WorkerEvents {
  /** The frames of one message, in order. */
  frames(frames: readonly FromWorker[]): void;
  exit(end: WorkerEnd): void;
}

/** How a worker ended. */
export interface WorkerEnd {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** The last that it wrote to standard error, 4 KiB at most; '' if it is not captured. */
  readonly stderrTail: string;
  /** What ended it, if that is known. */
  readonly cause?: unknown;
}

export interface WorkerHandle {
  /** As its `WorkerStart` has it. */
  readonly slot: number;
  /** Of the process that the worker is, or is in. */
  readonly pid: number | undefined;
  /** Of the thread that the worker is. */
  readonly threadId?: number;
  /**
   * Sends frames in their order, in one message where it can. `inFlight`: how many calls the worker has, these included; the
   * worker may choose by it how many answers it sends together.
   *
   * @returns the `run` frames whose input could not be cloned; all others are sent
   */
  send(frames: readonly ToWorker[], inFlight?: number): readonly Unsent[];
  /** Bytes that were sent to it so far, or came from it, whichever are more: for transports with `autoWindow.bytes`. */
  readonly bytes?: number;
  /** Returns the highest `seq` that the worker has started, also after its end, however it ended; 0 before the first. */
  started(): number;
  /**
   * Takes back calls that the worker has not begun, and returns those that it will never run, whatever happens to it: the
   * kernel gives them to other workers. The rest goes on as without this call; the kernel may ask again.
   * Without this method a call stays with its worker until the worker answers or ends.
   */
  reclaim?(seqs: readonly number[]): readonly number[];
  /**
   * Looks at what has come from the worker, every `healthMs`, and ends one whose bytes cannot be read further. @returns whether the
   * worker is to be asked for a sign of life before the next look. For transports that read streams of bytes.
   */
  inspect?(): boolean;
  /** Whether its inspector is open: it may be at a breakpoint, and silence is no reason to end it. Default: it is not. */
  readonly isInspected?: boolean;
  /** Ends the worker now, whatever it does; `exit` follows. */
  kill(): void;
  /** Sets whether the worker keeps this process alive. At first it does. */
  hold(alive: boolean): void;
}

/** A `run` frame that could not be sent. Its call rejects with a `DispatchError` as it is, with any other as `ERR_NOT_CLONEABLE`. */
export interface Unsent {
  readonly seq: number;
  readonly error: unknown;
}

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
  /** Whether the worker sends `started` before it calls the task. */
  readonly announce: boolean;
  /** Items that the worker may send before it gets more credit; undefined for a call of `run`, whose task gives none. */
  readonly credit?: number | undefined;
  /** Whether the input goes as JSON, since `json` has marked the task. */
  readonly json?: boolean | undefined;
}

/** The caller has taken items: the worker may send as many more. Unknown and settled tasks are ignored. */
export interface CreditFrame {
  readonly kind: 'credit';
  readonly seq: number;
  readonly items: number;
}

/** Whether the worker polls for its next call when it is idle, instead of sleeping at once; at first it does not. Only for transports that say `polls`. */
export interface PollFrame {
  readonly kind: 'poll';
  readonly on: boolean;
}

/** Aborts a task's signal with a reason; a task that has not started is `dropped`. Unknown and settled tasks are ignored. */
export interface AbortFrame {
  readonly kind: 'abort';
  readonly seq: number;
  readonly reason: unknown;
}

/** A message from a worker to the kernel. */
export type FromWorker =
  | {
      readonly kind: 'ready';
      readonly tasks: readonly string[];
      /** The names of those that `json` has marked. */
      readonly jsonTasks?: readonly string[] | undefined;
    }
  /** The worker exits by itself afterwards. `final`: another start would fail the same way, as for a module without tasks. */
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
  | LostFrame
  /** Aborted, past its deadline, taken back, or met by `stop` before it started: it never ran. */
  | { readonly kind: 'dropped'; readonly seq: number }
  | BusyFrame
  | RoomFrame
  | KeysOnlyFrame
  | { readonly kind: 'progress'; readonly seq: number; readonly data: unknown }
  /** The next item of a stream; `done`, without a value, or `failed` follows the last one. */
  | {
      readonly kind: 'item';
      readonly seq: number;
      readonly value: unknown;
      readonly json?: boolean | undefined;
    }
  /**
   * Since the last one: milliseconds elapsed, and milliseconds in which the event loop was not idle. `window: 'auto'` follows it:
   * a worker that never sends it keeps `autoWindow.first`, below the bound of `room`.
   */
  | {
      readonly kind: 'load';
      readonly elapsedMs: number;
      readonly activeMs: number;
      readonly memoryBytes: number | undefined;
      /** Of the JavaScript heap. */
      readonly heapBytes?: number | undefined;
    }
  /** Answers `health`; with `error` if the module's `health` hook failed. */
  | { readonly kind: 'healthy'; readonly error?: unknown }
  | ReportFrame
  /** What the module's `report` hook returned. */
  | { readonly kind: 'module-report'; readonly data: unknown }
  | RecycleFrame;

/** Figures of a worker that does more than tasks; the latest are in `stats()`. */
export interface ReportFrame {
  readonly kind: 'report';
  readonly data: unknown;
  /**
   * The worker has worked, as if it had answered a task: if it ends now, its start did not fail. A session on another machine
   * sends it with its first report, so that a host which leaves does not count against the circuit.
   */
  readonly worked: boolean;
}

/**
 * The worker gave a call to a worker of its own, which ended: the call may have run. It has its next attempt, as after the loss
 * of this worker, or rejects with `error` if it has none left.
 */
export interface LostFrame {
  readonly kind: 'lost';
  readonly seq: number;
  readonly error: unknown;
}

/**
 * The worker has not begun a call, never will, and has no room: the call goes back to the head of its queue, without using up
 * an attempt, and to another worker. The worker gets no call until it sends `room`, also if it has none left.
 */
export interface BusyFrame {
  readonly kind: 'busy';
  readonly seq: number;
}

/**
 * The worker takes calls again after `busy`, and holds `window` at most from now on, whatever `window` of the pool says: an
 * integer from 1, until the next `room`. May come at any time after `ready`.
 */
export interface RoomFrame {
  readonly kind: 'room';
  readonly window: number;
}

/**
 * Whether the worker takes only calls whose key it owns, as long as any other worker takes calls: for one that is there since
 * it owns keys, and that would otherwise get a share of all calls from each of many dispatchers. At first it takes any.
 */
export interface KeysOnlyFrame {
  readonly kind: 'keys-only';
  readonly on: boolean;
}

/** A frame that only some workers send: sessions with hosts, which others use too, and workers that do more than tasks. */
export type ExtraFrame = BusyFrame | KeysOnlyFrame | LostFrame | ReportFrame | RoomFrame;

/** The worker asks to be replaced. */
export interface RecycleFrame {
  readonly kind: 'recycle';
}
