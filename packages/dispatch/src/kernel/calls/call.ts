import { channel, type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import type { AbortWaiter, Clock } from '@ticketing/kit';
import type { RunOptions } from '../../contract/dispatcher.ts';
import type { ToWorker, Unsent, WorkerHandle } from '../../contract/transport.ts';
import type { Ending, KernelCounts } from '../kernel-counts.ts';
import type { Window } from '../workers/window.ts';
import type { JobList, Queued } from './job-queue.ts';

/**
 * State of a call. `abandoned`: its caller has been answered, its worker has not settled it yet.
 *
 *   queued → sent → settled
 *     ↑______/ |  ↘ abandoned → settled
 *   (worker lost)
 */
export type CallState = 'queued' | 'sent' | 'abandoned' | 'settled';

/** Receives events of the calls it owns. */
export interface CallOwner {
  /** A call was accepted. */
  accepted(): void;
  settled(ending: Ending): void;
}

/** Which worker runs a call: that of a key or of a slot; otherwise any. */
export interface Target {
  readonly key: string | undefined;
  readonly slot: number | undefined;
}

/** The limit of a call that has passed. */
export interface LateBy {
  readonly code: 'ERR_TIMEOUT' | 'ERR_QUEUE_TIMEOUT';
  readonly limit: number;
}

/** One call, as subscribers of `tracing:ticketing:dispatch:run:*` see it: the same object in every event. */
interface RunTrace {
  readonly name: string;
  readonly task: string;
  readonly id: number;
  /** Empty at `start`, where subscribers may add texts: the task gets them, below the caller's own `metadata`. */
  readonly metadata: Record<string, string>;
  result?: unknown;
  error?: unknown;
  /** Once it has settled: the number of its last attempt, from 1. */
  attempt?: number;
  /** The worker that had it last; undefined if it settled while it waited. */
  workerId?: number | undefined;
  /** Milliseconds from the call until it was last given to a worker, or until it settled if none had it. */
  waitMs?: number;
  /** Milliseconds in the worker; undefined without an answer. */
  runMs?: number;
}

/** `start` and `end` around the call; `error` if it failed, then `asyncStart` and `asyncEnd`, when it has settled. */
const runChannel: TracingChannel<unknown, RunTrace> = tracingChannel('ticketing:dispatch:run');

/** `{ run, attempt, workerId, waitMs, heldMs }` of an attempt whose worker was lost, when the call waits for the next one. */
const retryChannel = channel('ticketing:dispatch:retry');

/** One call of `run`, from its acceptance until its worker has settled it. */
export class Call implements Queued, AbortWaiter {
  state: CallState = 'queued';
  attempt = 1;
  /** How often it was taken back from a worker that had not begun it. */
  moves = 0;
  worker: PoolWorker | undefined = undefined;
  /** Its number in its worker. */
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
  /** Where it is counted. */
  readonly counts: KernelCounts;
  readonly priority: number;
  readonly enqueuedAt: number;
  /** Epoch milliseconds. */
  readonly deadline: number | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly #onAbort: (call: Call, reason: unknown) => void;

  constructor(
    call: Pick<
      Call,
      | 'id'
      | 'task'
      | 'input'
      | 'options'
      | 'target'
      | 'counts'
      | 'enqueuedAt'
      | 'deadline'
      | 'owner'
    >,
    caller: {
      readonly resolve: (value: unknown) => void;
      readonly reject: (error: unknown) => void;
      readonly onAbort: (call: Call, reason: unknown) => void;
    },
  ) {
    this.id = call.id;
    this.order = call.id;
    this.task = call.task;
    this.input = call.input;
    this.owner = call.owner;
    this.options = call.options;
    this.target = call.target;
    this.counts = call.counts;
    this.priority = call.options?.priority ?? 0;
    this.enqueuedAt = call.enqueuedAt;
    this.deadline = call.deadline;
    this.resolve = caller.resolve;
    this.reject = caller.reject;
    this.#onAbort = caller.onAbort;
  }

  /** Milliseconds that it may wait before its start; Infinity without a limit. */
  get patienceMs(): number {
    const { timeoutMs = Number.POSITIVE_INFINITY, queueTimeoutMs = timeoutMs } = this.options ?? {};
    return Math.min(timeoutMs, queueTimeoutMs);
  }

  /** The limit that a call which has not started has passed at `now`, whether or not its timer has fired. */
  lateBy(now: number): LateBy | undefined {
    const { options } = this;
    if (options === undefined) return undefined;
    const { timeoutMs = Number.POSITIVE_INFINITY, queueTimeoutMs } = options;
    const waited = now - this.enqueuedAt;
    if (waited >= timeoutMs) return { code: 'ERR_TIMEOUT', limit: timeoutMs };
    // A retried call has already started in time once.
    return queueTimeoutMs !== undefined && waited >= queueTimeoutMs && this.attempt === 1
      ? { code: 'ERR_QUEUE_TIMEOUT', limit: queueTimeoutMs }
      : undefined;
  }

  /** The caller's metadata, over what subscribers have added. */
  get metadata(): Readonly<Record<string, string>> | undefined {
    const own = this.options?.metadata;
    const added = this.trace?.metadata;
    return added === undefined || Object.keys(added).length === 0 ? own : { ...added, ...own };
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

/** Node 20 lacks `detached`: there an empty buffer counts as moved. */
function isDetached(buffer: ArrayBuffer & { readonly detached?: boolean }): boolean {
  return buffer.detached ?? buffer.byteLength === 0;
}

/** Publishes the start of a call. */
export function traceCall(name: string, call: Call): void {
  if (!runChannel.hasSubscribers) return;
  call.trace = { name, task: call.task, id: call.id, metadata: {} };
  runChannel.start.publish(call.trace);
  runChannel.end.publish(call.trace);
}

/** Publishes the loss of a traced call's worker, before the next attempt. */
export function traceRetry(call: Call, { workerId }: PoolWorker, clock: Clock): void {
  const { trace: run, attempt, enqueuedAt, sentAt } = call;
  if (run === undefined || !retryChannel.hasSubscribers) return;
  const times = { waitMs: sentAt - enqueuedAt, heldMs: clock.now() - sentAt };
  retryChannel.publish({ run, attempt, workerId, ...times });
}

/** Publishes the end of a call. */
export function traceSettled(
  call: Call,
  { ending, value }: { readonly ending: Ending; readonly value: unknown },
  clock: Clock,
): void {
  const { trace, worker } = call;
  if (trace === undefined) return;
  trace.attempt = call.attempt;
  trace.workerId = worker?.workerId;
  trace.waitMs = (worker === undefined ? clock.now() : call.sentAt) - call.enqueuedAt;
  if (ending !== 'completed') {
    trace.error = value;
    runChannel.error.publish(trace);
  } else trace.result = value;
  runChannel.asyncStart.publish(trace);
  runChannel.asyncEnd.publish(trace);
}

/**
 * State of a worker. `retiring`: its successor works, it finishes its calls. `stopping`: it was asked to stop.
 * `killed`: its end has not been seen yet.
 */
export type PoolWorkerState = 'starting' | 'ready' | 'retiring' | 'stopping' | 'killed' | 'gone';

/** A worker as the kernel sees it: its calls, and the frames that wait to be sent to it. */
export class PoolWorker {
  state: PoolWorkerState = 'starting';
  handle: WorkerHandle | undefined = undefined;
  /** Calls that it has not settled, by number. */
  readonly calls: Map<number, Call> = new Map();
  /** Calls that it has answered. */
  done = 0;
  /** It has answered a call, or reported other work: if it ends, its start did not fail. */
  proved = false;
  /** Its latest report of other work. */
  report: unknown = undefined;
  /** The latest report of its module. */
  moduleReport: unknown = undefined;
  /** It asked to be replaced. */
  asksRecycle = false;
  doneSinceLoad = 0;
  /** It gave a call back for want of room, and has sent no `room` since: it gets no calls. */
  isBusy = false;
  /** The bound of its latest `room`. */
  most: number = Number.POSITIVE_INFINITY;
  /** When calls were taken back from it, if it has sent nothing since: it gets no calls. */
  heldUpAt: number | undefined = undefined;
  /** The number it had claimed at the last check, and how many checks in a row found the same. */
  seen: { readonly claimed: number; readonly checks: number } | undefined = undefined;
  /** Calls have waited since its last load frame because it was full. */
  starved = false;
  /** Checks in a row that found it idle since the one before; `given` at the latest. */
  idle: { readonly checks: number; readonly given: number } = { checks: 0, given: 0 };
  /** When it last took waiting calls, or none waited for it; undefined until it is first pumped. */
  servedAt: number | undefined = undefined;
  memoryBytes: number | undefined = undefined;
  /** Its last load frame, and when it came. */
  load: { readonly activeMs: number; readonly elapsedMs: number; readonly at: number } | undefined =
    undefined;
  /** A health check that it has not answered; `excused` if a task ran when the answer was due. */
  asked: 'due' | 'excused' | undefined = undefined;
  /** Why it could not start, if it reported that. */
  startError: { readonly error: unknown; readonly final: boolean } | undefined = undefined;
  startTimer: unknown = undefined;
  stopTimer: unknown = undefined;
  /** Its replacement has begun; or it is no longer needed. */
  replaced = false;
  readonly workerId: number;
  readonly slot: number;
  readonly window: Window;
  readonly bornAt: number;
  /** Called when its end has been seen. */
  onGone: (() => void) | undefined = undefined;
  /** Called once: with `undefined` when it has started, or with the error. */
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

  /** Calls that it has been given so far. */
  get given(): number {
    return this.#lastSeq;
  }

  /** Calls that it holds at most. */
  get windowSize(): number {
    return Math.min(this.window.size, this.most);
  }

  get hasRoom(): boolean {
    const isHeldUp = this.heldUpAt !== undefined || this.isBusy;
    return this.state === 'ready' && !isHeldUp && this.calls.size < this.windowSize;
  }

  /** Whether a task is running. */
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
        metadata: call.trace === undefined ? options?.metadata : call.metadata,
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

  /** Removes a call that has not been sent yet. @returns whether it was still here */
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

  /** Sends the posted frames, unless it is being killed. @returns calls whose input cannot be cloned */
  flush(): readonly Unsent[] {
    if (this.#outbox.length === 0 || this.handle === undefined) return [];
    if (this.state === 'killed' || this.state === 'gone') return [];
    const frames = this.#outbox;
    this.#outbox = [];
    return this.handle.send(frames);
  }
}
