import { AsyncResource } from 'node:async_hooks';
import { channel, tracingChannel } from 'node:diagnostics_channel';
import { types } from 'node:util';
import type { AbortWaiter, Clock, TraceChannel } from '@ticketing/kit';
import type { CallSource, ForwardedRunOptions } from '../../contract/dispatcher.ts';
import type { Movable } from '../../contract/task.ts';
import { DispatchError } from '../../errors.ts';
import type { Ending, KernelCounts } from '../kernel-counts.ts';
import type { PoolWorker } from '../workers/pool-worker.ts';
import { withCallers } from './call-errors.ts';
import type { CallList } from './call-list.ts';
import type { ItemSink } from './item-stream.ts';
import type { JobList, Queued } from './job-queue.ts';
import type { TimeLimit } from './time-limits.ts';

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

/** Which worker runs a call: that of a key or of a slot; otherwise any, or any but one. */
export interface Target {
  readonly key: string | undefined;
  readonly slot: number | undefined;
  readonly apartFrom: number | undefined;
  /** Number of the one worker that may run it: with `slot` it waits there, alone it never waits. Default: any of the slot. */
  readonly only?: number | undefined;
}

export const anyWorker: Target = { key: undefined, slot: undefined, apartFrom: undefined };

/** For whom a call is, and where it runs. */
export interface CallPlace {
  /** Groups calls, so that `giveUpAll` can end just those. */
  readonly owner?: CallOwner | undefined;
  /** Passes the call on. */
  readonly source?: CallSource | undefined;
  /** Makes it a stream. */
  readonly items?: ItemSink | undefined;
  /** Makes it a part of a broadcast, for the worker of a slot; with `only` for the one with that number. */
  readonly slot?: number;
  readonly only?: number | undefined;
  /** Makes it a part of the start of a worker. */
  readonly starting?: PoolWorker | undefined;
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
const runChannel: TraceChannel<RunTrace> = tracingChannel('ticketing:dispatch:run');

/** `{ run, attempt, workerId, waitMs, heldMs }` of an attempt whose worker was lost, when the call waits for the next one. */
const retryChannel = channel('ticketing:dispatch:retry');

/** One call of `run`, from its acceptance until its worker has settled it. */
export class Call implements Queued, AbortWaiter {
  state: CallState = 'queued';
  /** How often a worker was lost that had it. */
  losses = 0;
  /** How often it was taken back from a worker that had not begun it. */
  moves = 0;
  worker: PoolWorker | undefined = undefined;
  /** Its number in its worker. */
  seq = 0;
  sentAt = 0;
  timeLimit: TimeLimit | undefined = undefined;
  queueLimit: TimeLimit | undefined = undefined;
  /** Calls in flight when it was made; set if it has a signal or a limit. */
  active = 0;
  // The list of its timers that has it, and its place there.
  watched: CallList | undefined = undefined;
  watchedAt = 0;
  /** Limits the run; once abandoned, the grace until the worker is killed. */
  workerTimer: unknown = undefined;
  onProgress: ((data: unknown) => void) | undefined = undefined;
  onWorker: ((workerId: number) => void) | undefined = undefined;
  trace: RunTrace | undefined = undefined;
  /** Gets the items of a stream. */
  items: ItemSink | undefined = undefined;
  isStalled = false;
  // The queue's links.
  previous: Queued | undefined = undefined;
  next: Queued | undefined = undefined;
  list: JobList | undefined = undefined;

  readonly id: number;
  readonly order: number;
  readonly task: string;
  readonly input: unknown;
  readonly owner: CallOwner | undefined;
  readonly options: ForwardedRunOptions | undefined;
  readonly target: Target;
  /** Where it is counted. */
  readonly counts: KernelCounts;
  readonly priority: number;
  readonly enqueuedAt: number;
  /** Epoch milliseconds. */
  readonly deadline: number | undefined;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (error: unknown) => void;
  readonly #onAbort: (call: Call, reason: unknown) => void;
  /** That of the caller, until it is answered. */
  readonly #context: AsyncResource | undefined = undefined;

  constructor(
    call: Pick<
      Call,
      'id' | 'task' | 'input' | 'options' | 'target' | 'counts' | 'enqueuedAt' | 'owner'
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
    const { timeoutMs, onProgress, onWorker } = call.options ?? {};
    this.deadline = timeoutMs === undefined ? undefined : Math.ceil(Date.now() + timeoutMs);
    if (onProgress || onWorker) {
      // Called in the caller's AsyncLocalStorage, wherever the frame comes from.
      const context = new AsyncResource('ticketing.dispatch');
      this.#context = context;
      if (onProgress) this.onProgress = boundTo(context, onProgress);
      if (onWorker) this.onWorker = boundTo(context, onWorker);
    }
    this.#resolve = caller.resolve;
    this.#reject = caller.reject;
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
    return queueTimeoutMs !== undefined && waited >= queueTimeoutMs && this.losses === 0
      ? { code: 'ERR_QUEUE_TIMEOUT', limit: queueTimeoutMs }
      : undefined;
  }

  /** Number of the attempt, for the task. */
  get attempt(): number {
    return (this.options?.attempt ?? 1) + this.losses;
  }

  /** The caller's metadata, over what subscribers have added. */
  get metadata(): Readonly<Record<string, string>> | undefined {
    const own = this.options?.metadata;
    const added = this.trace?.metadata;
    return added === undefined || Object.keys(added).length === 0 ? own : { ...added, ...own };
  }

  /** Something of it was moved away: it cannot be sent again. */
  get isSpent(): boolean {
    // A port does not show that it was moved: it counts as moved once a worker has the call.
    const isMoved = (each: Movable): boolean =>
      types.isArrayBuffer(each) ? isDetached(each) : this.state !== 'queued';
    return this.options?.transfer?.some(isMoved) ?? false;
  }

  /**
   * Answers the caller.
   *
   * @param isCopy - what a task threw was copied from its worker
   */
  answer(ending: Ending, value: unknown, isCopy: boolean): void {
    if (ending === 'aborted' || ending === 'rejected') this.items?.cut();
    // Nothing is called for an answered caller. Hooks hold what belongs to a context until this.
    this.#context?.emitDestroy();
    // Only an error that was made for this call alone may be changed.
    const isOurs = DispatchError.is(value) || (ending === 'failed' && isCopy);
    if (ending === 'completed') this.#resolve(value);
    else if (isOurs && value instanceof Error) this.#resolve(withCallers(value));
    else this.#reject(value);
  }

  /** Sets whether it is a stream whose worker has sent all that it may, and waits for the consumer. */
  stall(isStalled: boolean): void {
    if (this.isStalled === isStalled || this.worker === undefined) return;
    this.isStalled = isStalled;
    this.worker.stalled += isStalled ? 1 : -1;
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

/** As `AsyncResource.bind`, at a tenth of its cost: that also defines properties of the function. */
function boundTo<T>(context: AsyncResource, listener: (value: T) => void): (value: T) => void {
  return (value) => context.runInAsyncScope(listener, undefined, value);
}
