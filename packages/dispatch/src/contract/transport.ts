import type { Capabilities } from './dispatcher.ts';
import type { FromWorker, ToWorker } from './frames.ts';
import type { ExtraFrame } from './session-frames.ts';
import type { DispatcherKind } from './stats.ts';

/** Starts workers of one kind. The kernel decides when to start them, and gives them their calls. */
export interface Transport {
  readonly kind: DispatcherKind;
  readonly capabilities: Capabilities;
  /**
   * Bounds of `window: 'auto'`: its first and its largest number of calls. `bytes`: bytes that the way to a worker has room for,
   * where a larger backlog leaves the worker idle; its handle then counts `bytes`.
   */
  readonly autoWindow: { readonly first: number; readonly max: number; readonly bytes?: number };
  /**
   * Starts a worker. The worker reports `ready` or `start-failed` as a frame, and its end by `exit`: exactly once, after
   * its last frame, and never within this call. An error that this method throws is a failed start.
   *
   * A worker that waits for something that may come late, such as a host, may report a final `start-failed` before its end, and
   * become ready after all: until then calls with `onNoWorker` are not kept waiting.
   */
  spawn(worker: WorkerStart, events: WorkerEvents): WorkerHandle;
  /**
   * Returns the number of the worker that owns a key, one of `workerIds`, the workers that take tasks now; `undefined` if none
   * of them owns it, so any worker runs the call. For transports whose dispatchers must agree on the owner of a key. Called for
   * each call with a key, and for each waiting one again whenever a worker comes or goes: must be quick, and must not throw.
   * Without this method keys belong to slots.
   */
  homeOf?(key: string, workerIds: readonly number[]): number | undefined;
  /** True if workers may differ in speed, as machines do: a call goes to the worker that is likely to answer first. Default: to the worker with the fewest calls. */
  readonly mayDifferInSpeed?: boolean;
  /**
   * True if small calls are answered within microseconds when neither side sleeps: the kernel then polls for answers, and has
   * its workers poll for calls (`PollFrame`), unless the pool's `busyPoll` is off. Default `false`.
   */
  readonly polls?: boolean;
  /**
   * Returns the reason that no worker takes calls yet: the `cause` of the error of a call that ends before one does. For workers
   * that come from elsewhere and may take long. Default: the error of the latest failed start.
   */
  whyUnready?(): unknown;
  /** Kinds of session frames (`session-frames.ts`) that its workers may send; the kernel ignores all others of them. Default: none. */
  readonly extraFrames?: readonly ExtraFrame['kind'][];
  /** Phrases for errors of workers that do more than tasks. Default: phrases about tasks. */
  readonly words?: TransportWords;
  /** Releases the resources that the workers share. Called after the last worker is gone. */
  close(): Promise<void>;
}

/** Phrases in errors about a worker's start. */
interface TransportWords {
  /** First thing that a started worker has done, for example `it listened`. */
  readonly started: string;
  /** Proof of a good start, for example `its first answer`. */
  readonly proof: string;
  /** Advice for a program that does not start in time, for example `it must call ...`. */
  readonly hint: string;
}

/** Facts of a new worker, for its transport. */
export interface WorkerStart {
  /** Number from 1, unique within the dispatcher. */
  readonly workerId: number;
  /** Slot from 0; the worker's successor has the same one. */
  readonly slot: number;
  /** Module of the latest `reload({ module })`, to load instead of the transport's own; undefined before. */
  readonly module: URL | undefined;
  /**
   * Value for the worker's tasks, as `context.workerData`. A transport that clones inputs clones it too. If `spawn` throws a
   * `DataCloneError` for it, the start is final: it is not retried at once.
   */
  readonly workerData?: unknown;
}

/** Callbacks of the kernel for the messages and the end of one worker. */
export interface WorkerEvents {
  /** Takes the frames of one message, in order. */
  frames(frames: readonly FromWorker[]): void;
  /** Takes the worker's end, once, after its last frame. */
  exit(end: WorkerEnd): void;
}

/** End of a worker. */
export interface WorkerEnd {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** Last 4 KiB of its standard error; '' if that is not captured. */
  readonly stderrTail: string;
  /** Reason of the end, if it is known. */
  readonly cause?: unknown;
}

/** One worker, as its transport gives it to the kernel. */
export interface WorkerHandle {
  /** Slot of the `WorkerStart`. */
  readonly slot: number;
  /** Id of the worker's process, or of the process around it. */
  readonly pid: number | undefined;
  /** Id of the worker's thread, if it is one. */
  readonly threadId?: number;
  /**
   * Sends frames in their order, in one message if possible. `inFlight`: calls that the worker has, with the new ones; a worker
   * may choose by it how many answers to send together.
   *
   * @returns the `run` frames whose input could not be cloned; all other frames are sent
   */
  send(frames: readonly ToWorker[], inFlight?: number): readonly Unsent[];
  /** Bytes sent to the worker so far or bytes received from it, whichever are more; for transports with `autoWindow.bytes`. */
  readonly bytes?: number;
  /** Returns the highest `seq` that the worker has started, 0 before the first. Correct after its end too, even after a crash. */
  started(): number;
  /**
   * Takes back calls that the worker has not begun. Returns the ones that it will never run, whatever happens to it; the kernel
   * gives them to other workers. The rest stays with the worker, and the kernel may ask for it again.
   * Without this method a call stays with its worker until the worker answers or ends.
   */
  reclaim?(seqs: readonly number[]): readonly number[];
  /**
   * Checks the bytes that have come from the worker, every `healthMs`, and ends a worker whose bytes cannot be decoded. For
   * transports that read streams of bytes.
   *
   * @returns true if the worker must be asked for a sign of life before the next check
   */
  inspect?(): boolean;
  /** True while the worker's inspector is open: it may be at a breakpoint, so silence is no reason to end it. Default `false`. */
  readonly isInspected?: boolean;
  /** Ends the worker at once, even in the middle of a task; `exit` follows. */
  kill(): void;
  /** Sets whether the worker keeps this process alive. It does until this is called. */
  hold(alive: boolean): void;
}

/** A `run` frame that could not be sent. Its call rejects with `error` if that is a `DispatchError`, else with `ERR_NOT_CLONEABLE` around it. */
export interface Unsent {
  readonly seq: number;
  readonly error: unknown;
}
