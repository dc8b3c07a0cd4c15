import type { Capabilities, DispatcherKind } from './dispatcher.ts';
import type { FromWorker, ToWorker } from './frames.ts';

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
