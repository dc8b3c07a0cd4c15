import { AsyncResource } from 'node:async_hooks';
import type { AbortWaiter } from '@ticketing/kit';
import type { RunOptions } from '../../contract/dispatcher.ts';
import type { ToWorker, Unsent, WorkerHandle } from '../../contract/transport.ts';
import type { Ending } from '../kernel-counts.ts';
import { type RunTrace, runChannel } from '../workers/pool-events.ts';
import type { Window } from '../workers/window.ts';
import type { JobList, Queued } from './job-queue.ts';

/**
 * Where a call is. `abandoned`: its caller has been answered, its worker has not settled it yet.
 *
 *   queued → sent → settled
 *     ↑______/ |  ↘ abandoned → settled
 *   (worker lost)
 */
export type CallState = 'queued' | 'sent' | 'abandoned' | 'settled';

/** Receives events of the calls it owns. */
export interface CallOwner {
  /** A call was accepted. */
  took(): void;
  settled(ending: Ending): void;
}

/** Which worker is to run a call: that of a key or of a slot; otherwise any. */
export interface Target {
  readonly key: string | undefined;
  readonly slot: number | undefined;
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
  readonly target: Target;
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
      readonly target: Target;
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
    this.target = given.target;
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

/** Tells subscribers that a call begins. */
export function traceCall(name: string, call: Call): void {
  if (!runChannel.hasSubscribers) return;
  call.trace = { name, task: call.task, id: call.id };
  runChannel.start.publish(call.trace);
  runChannel.end.publish(call.trace);
}

/** Tells subscribers how a call ended. */
export function traceSettled(call: Call, isFailure: boolean, value: unknown): void {
  const { trace } = call;
  if (trace === undefined) return;
  if (isFailure) {
    trace.error = value;
    runChannel.error.publish(trace);
  } else trace.result = value;
  runChannel.asyncStart.publish(trace);
  runChannel.asyncEnd.publish(trace);
}

/** The caller's callback, in the caller's AsyncLocalStorage wherever it is called from. */
export function inCallersContext(onProgress: (data: unknown) => void): (data: unknown) => void {
  return AsyncResource.bind(onProgress);
}

/**
 * What a worker is doing. `retiring`: its successor works, it finishes what it has. `stopping`: it was told to stop.
 * `killed`: its end has not been seen yet.
 */
export type PoolWorkerState = 'starting' | 'ready' | 'retiring' | 'stopping' | 'killed' | 'gone';

/** A worker as the kernel sees it: what it has been given, and what waits to be sent to it. */
export class PoolWorker {
  state: PoolWorkerState = 'starting';
  handle: WorkerHandle | undefined = undefined;
  /** By number: given, and not settled by the worker. */
  readonly calls: Map<number, Call> = new Map();
  /** Tasks it has answered. */
  done = 0;
  /** It has answered a task, or told of other work: if it ends, its start was no failure. */
  proved = false;
  /** What it last told of its other work. */
  report: unknown = undefined;
  /** It asked to be replaced. */
  asksRecycle = false;
  doneSinceLoad = 0;
  /** When calls were taken back from it, if it has said nothing since: it is given no others. */
  heldUpAt: number | undefined = undefined;
  /** What it had claimed at the last looks at the calls that it has not begun, and how many looks found just that. */
  seen: { readonly claimed: number; readonly looks: number } | undefined = undefined;
  /** Calls waited since its last load though it was full. */
  starved = false;
  /** Looks in a row at which it had nothing to do and had been given nothing since, of which the latest saw `given`. */
  idle: { readonly looks: number; readonly given: number } = { looks: 0, given: 0 };
  /** When it last took what waited, or nothing waited for it; undefined until it is first asked. */
  servedAt: number | undefined = undefined;
  memoryBytes: number | undefined = undefined;
  /** A question for its health that it has not answered; `excused` if a task ran when it was due. */
  asked: 'due' | 'excused' | undefined = undefined;
  /** Why it could not start, if it said so. */
  startError: { readonly error: unknown; readonly final: boolean } | undefined = undefined;
  startTimer: unknown = undefined;
  stopTimer: unknown = undefined;
  /** Its replacement has been begun; or it starts in vain. */
  replaced = false;
  readonly workerId: number;
  readonly slot: number;
  readonly window: Window;
  readonly bornAt: number;
  /** Told when its end has been seen. */
  onGone: (() => void) | undefined = undefined;
  /** Told once whether it started: `undefined`, or why not. */
  readonly onStart: ((error: unknown) => void) | undefined;
  #lastSeq = 0;
  #outbox: ToWorker[] = [];
  #outboxSince = 0;

  constructor(worker: Pick<PoolWorker, 'workerId' | 'slot' | 'window' | 'bornAt' | 'onStart'>) {
    this.workerId = worker.workerId;
    this.slot = worker.slot;
    this.window = worker.window;
    this.bornAt = worker.bornAt;
    this.onStart = worker.onStart;
  }

  /** Calls that it was given so far. */
  get given(): number {
    return this.#lastSeq;
  }

  get hasRoom(): boolean {
    const isHeldUp = this.heldUpAt !== undefined;
    return this.state === 'ready' && !isHeldUp && this.calls.size < this.window.size;
  }

  get isLive(): boolean {
    return this.state !== 'gone';
  }

  /** Whether a task that has started is under way. */
  get isRunning(): boolean {
    const started = this.handle?.started() ?? 0;
    for (const seq of this.calls.keys()) if (seq <= started) return true;
    return false;
  }

  /** Takes a call in; `flush` sends it. */
  give(call: Call, now: number): void {
    this.#lastSeq += 1;
    const seq = this.#lastSeq;
    call.state = 'sent';
    call.worker = this;
    call.seq = seq;
    call.sentAt = now;
    this.calls.set(seq, call);
    const { options } = call;
    this.post(
      {
        kind: 'run',
        seq,
        id: call.id,
        task: call.task,
        input: call.input,
        attempt: call.attempt,
        deadline: call.deadline,
        metadata: options?.metadata,
        transfer: options?.transfer,
        announce: options?.runTimeoutMs !== undefined,
      },
      now,
    );
  }

  /** Adds a frame to what the next `flush` sends. */
  post(frame: ToWorker, now: number): void {
    if (this.#outbox.length === 0) this.#outboxSince = now;
    this.#outbox.push(frame);
  }

  /** Takes back a call that has not been sent yet. @returns whether it was still here */
  takeBack(call: Call): boolean {
    const index = this.#outbox.findIndex((frame) => frame.kind === 'run' && frame.seq === call.seq);
    if (index < 0) return false;
    this.#outbox.splice(index, 1);
    this.calls.delete(call.seq);
    return true;
  }

  /** Milliseconds that the oldest unsent frame has waited; 0 if there is none. */
  unsentFor(now: number): number {
    return this.#outbox.length === 0 ? 0 : now - this.#outboxSince;
  }

  /** Sends what was posted, unless it is being killed. @returns calls whose input cannot be cloned */
  flush(): readonly Unsent[] {
    if (this.#outbox.length === 0 || this.handle === undefined) return [];
    if (this.state === 'killed' || this.state === 'gone') return [];
    const frames = this.#outbox;
    this.#outbox = [];
    return this.handle.send(frames);
  }
}
