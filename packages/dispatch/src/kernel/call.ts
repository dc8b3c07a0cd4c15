import type { RunOptions } from '../contract/run-options.ts';
import type { RunTrace } from './channels.ts';
import type { JobList, Queued } from './job-queue.ts';
import type { Ending } from './kernel-counts.ts';
import type { PoolWorker } from './pool-worker.ts';
import type { AbortWaiter } from './signal-listeners.ts';

/**
 * Where a call is. `abandoned`: its caller has been answered, its worker has not settled it yet.
 *
 *   queued → sent → settled
 *     ↑______/ |  ↘ abandoned → settled
 *   (worker lost)
 */
export type CallState = 'queued' | 'sent' | 'abandoned' | 'settled';

/** Told of calls that were made in its name. */
export interface CallOwner {
  /** A call waits or runs from now on. */
  took(): void;
  settled(ending: Ending): void;
}

/** Which worker is to run a call: that of a key or of a place; otherwise any. */
export interface WorkerWish {
  readonly key: string | undefined;
  readonly place: number | undefined;
}

/** The limit of a call that has passed. */
export interface LateBy {
  readonly code: 'ERR_TIMEOUT' | 'ERR_QUEUE_TIMEOUT';
  readonly limit: number;
}

/** One call of `run`, from its acceptance until its worker has settled it. */
export class Call implements Queued, AbortWaiter {
  state: CallState = 'queued';
  attempt = 1;
  /** How often it was taken back from a worker that had not begun it. */
  moves = 0;
  worker: PoolWorker | undefined = undefined;
  /** Its number at its worker. */
  seq = 0;
  sentAt = 0;
  timeoutTimer: unknown = undefined;
  queueTimer: unknown = undefined;
  /** Limits the run; once abandoned, the grace until the worker is killed. */
  workerTimer: unknown = undefined;
  onProgress: ((data: unknown) => void) | undefined = undefined;
  trace: RunTrace | undefined = undefined;
  // The queue's links.
  previous: Queued | undefined = undefined;
  next: Queued | undefined = undefined;
  list: JobList | undefined = undefined;

  readonly id: number;
  readonly order: number;
  readonly task: string;
  readonly input: unknown;
  readonly owner: CallOwner | undefined;
  readonly options: RunOptions | undefined;
  readonly wish: WorkerWish;
  readonly priority: number;
  readonly enqueuedAt: number;
  /** Epoch milliseconds. */
  readonly deadline: number | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly #onAbort: (call: Call, reason: unknown) => void;

  constructor(
    given: {
      readonly id: number;
      readonly task: string;
      readonly input: unknown;
      readonly options: RunOptions | undefined;
      readonly wish: WorkerWish;
      readonly now: number;
      readonly deadline: number | undefined;
      readonly owner: CallOwner | undefined;
    },
    caller: {
      readonly resolve: (value: unknown) => void;
      readonly reject: (error: unknown) => void;
      readonly onAbort: (call: Call, reason: unknown) => void;
    },
  ) {
    this.id = given.id;
    this.order = given.id;
    this.task = given.task;
    this.input = given.input;
    this.owner = given.owner;
    this.options = given.options;
    this.wish = given.wish;
    this.priority = given.options?.priority ?? 0;
    this.enqueuedAt = given.now;
    this.deadline = given.deadline;
    this.resolve = caller.resolve;
    this.reject = caller.reject;
    this.#onAbort = caller.onAbort;
  }

  /** Milliseconds that it may wait before it is started; Infinity without a limit. */
  get patienceMs(): number {
    const { timeoutMs = Number.POSITIVE_INFINITY, queueTimeoutMs = timeoutMs } = this.options ?? {};
    return Math.min(timeoutMs, queueTimeoutMs);
  }

  /** The limit that has passed at `now` for a call that has not started, whether or not its timer has fired. */
  lateBy(now: number): LateBy | undefined {
    const { options } = this;
    if (options === undefined) return undefined;
    const { timeoutMs = Number.POSITIVE_INFINITY, queueTimeoutMs } = options;
    const waited = now - this.enqueuedAt;
    if (waited >= timeoutMs) return { code: 'ERR_TIMEOUT', limit: timeoutMs };
    // One that is started anew has once started in time.
    return queueTimeoutMs !== undefined && waited >= queueTimeoutMs && this.attempt === 1
      ? { code: 'ERR_QUEUE_TIMEOUT', limit: queueTimeoutMs }
      : undefined;
  }

  /** Its buffers were moved away: it cannot be sent again. */
  get isSpent(): boolean {
    return this.options?.transfer?.some(isDetached) ?? false;
  }

  /** The caller's signal fired. */
  aborted(reason: unknown): void {
    this.#onAbort(this, reason);
  }
}

/** Node 20 does not say so itself: there an empty buffer counts as moved. */
function isDetached(buffer: ArrayBuffer & { readonly detached?: boolean }): boolean {
  return buffer.detached ?? buffer.byteLength === 0;
}
