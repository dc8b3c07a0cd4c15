import { AsyncResource } from 'node:async_hooks';
import { types } from 'node:util';
import type { RunMessage } from '../../contract/dispatch-messages.ts';
import type { CallSource, ForwardedRunOptions } from '../../contract/dispatcher.ts';
import type { Movable } from '../../contract/task.ts';
import { DispatchError } from '../../errors.ts';
import { withCallers } from '../errors.ts';
import type { Watch } from '../limits/watches.ts';
import type { Ending, KernelCounts } from './counts.ts';
import type { JobList, Queued } from './job-queue.ts';
import type { Worker } from './worker/worker.ts';

/**
 * State of a call. `settled`: its caller has been answered. `abandoned`: it has, and its worker is to stop the task.
 *
 *   queued → sent → settled → abandoned
 *     ↑______/
 *   (its worker was lost, or gave it back)
 */
export type CallState = 'queued' | 'sent' | 'abandoned' | 'settled';

/** Worker of a pool. */
export type PoolWorker = Worker<Call>;

/** Open and answered calls of one lent dispatcher, which `giveUpAll` can end alone. */
export interface CallOwner {
  active: number;
  answered: number;
}

/** Choice of the worker that runs a call: that of a key or of a slot; otherwise any, or any but one. */
export interface Target {
  readonly key: string | undefined;
  readonly slot: number | undefined;
  readonly apartFrom: number | undefined;
  /** Number of the one worker that may run it: with `slot` it waits there, alone it never waits. Default: any of the slot. */
  readonly only?: number | undefined;
}

export const anyWorker: Target = { key: undefined, slot: undefined, apartFrom: undefined };

/** Owner, relay source and stream sink of a call, and the worker of a broadcast that runs it. */
export interface CallPlace {
  readonly owner?: CallOwner | undefined;
  /** Task that passes the call on: source of its abort signal, sink of its progress. */
  readonly source?: CallSource | undefined;
  /** Sink of the items; makes the call a stream. */
  readonly items?: ItemSink | undefined;
  /** Slot of the worker; makes the call a part of a broadcast. With `only` for the worker with that number. */
  readonly slot?: number;
  readonly only?: number | undefined;
  /** Worker that starts; makes the call a part of the start. */
  readonly starting?: PoolWorker | undefined;
}

/** Receives the items of a stream. */
export interface ItemSink {
  /** Items that may be under way or wait here. */
  readonly window: number;
  /** True if an item has come: the call is never made again. */
  readonly hasBegun: boolean;
  begin(call: Call, kernel: StreamKernel): void;
  item(value: unknown): void;
  /** Drops the items that wait: the dispatcher ends the stream, not its task. */
  cut(): void;
}

/** Actions of a stream once its call is made. */
export interface StreamKernel {
  /** Sends credit for more items to the worker that has the call. */
  grant(call: Call, items: number): void;
  giveUp(call: Call, error: unknown, ending: 'aborted' | 'failed'): void;
}

/** Limit of a call that has passed. */
export interface LateBy {
  readonly code: 'ERR_TIMEOUT' | 'ERR_QUEUE_TIMEOUT';
  readonly limit: number;
}

/** Part of a call that its caller decides. */
export interface AskedCall {
  readonly id: number;
  readonly task: string;
  readonly input: unknown;
  readonly options: ForwardedRunOptions | undefined;
  readonly target: Target;
  readonly enqueuedAt: number;
  /** Counters that include the call. */
  readonly counts: KernelCounts;
  readonly owner: CallOwner | undefined;
  /** Epoch milliseconds. */
  readonly deadline: number | undefined;
  readonly trace: RunMessage | undefined;
}

/** One call of `run`, from its acceptance until its worker has settled it. */
export class Call implements Queued {
  state: CallState = 'queued';
  worker: PoolWorker | undefined = undefined;
  /** Number of the call in its worker. */
  seq = 0;
  sentAt = 0;
  /** Number of workers that had the call and were lost. */
  losses = 0;
  /** Times that the call was taken back from a worker that had not begun it. */
  moves = 0;
  /** Watch over the call's signal and limits, if it has any. */
  watch: Watch<Call> | undefined = undefined;
  /** Limits the run; once abandoned, the grace until the worker is killed. */
  workerTimer: unknown = undefined;
  // Links of the queue.
  previous: Queued | undefined = undefined;
  next: Queued | undefined = undefined;
  list: JobList | undefined = undefined;
  readonly asked: AskedCall;
  /** Gets the items of a stream. */
  readonly items: ItemSink | undefined;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (error: unknown) => void;
  readonly #listeners: Listeners | undefined;
  #isStalled = false;

  constructor(asked: AskedCall, items: ItemSink | undefined, caller: Caller) {
    this.asked = asked;
    this.items = items;
    this.#resolve = caller.resolve;
    this.#reject = caller.reject;
    this.#listeners = caller.listeners;
  }

  get order(): number {
    return this.asked.id;
  }

  get enqueuedAt(): number {
    return this.asked.enqueuedAt;
  }

  get priority(): number {
    return this.asked.options?.priority ?? 0;
  }

  get task(): string {
    return this.asked.task;
  }

  get options(): ForwardedRunOptions | undefined {
    return this.asked.options;
  }

  get target(): Target {
    return this.asked.target;
  }

  /** Milliseconds that the call may wait before its start; Infinity without a limit. */
  get patienceMs(): number {
    const { timeoutMs = Number.POSITIVE_INFINITY, queueTimeoutMs = timeoutMs } = this.options ?? {};
    return Math.min(timeoutMs, queueTimeoutMs);
  }

  /** Limit that a call which has not started has passed at `now`, whether or not its timer has fired. */
  lateBy(now: number): LateBy | undefined {
    const { options, enqueuedAt } = this.asked;
    if (options === undefined) return undefined;
    const { timeoutMs = Number.POSITIVE_INFINITY, queueTimeoutMs } = options;
    const waited = now - enqueuedAt;
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

  /** Metadata of the caller, over the texts that subscribers have added. */
  get metadata(): Readonly<Record<string, string>> | undefined {
    const own = this.options?.metadata;
    const added = this.asked.trace?.metadata;
    return added === undefined || Object.keys(added).length === 0 ? own : { ...added, ...own };
  }

  /** True if a buffer or port of the input was moved: the call cannot be sent again. */
  get isSpent(): boolean {
    // A port does not show that it was moved: it counts as moved once a worker has the call.
    const isMoved = (each: Movable): boolean =>
      types.isArrayBuffer(each) ? isDetached(each) : this.state !== 'queued';
    return this.options?.transfer?.some(isMoved) ?? false;
  }

  /** Notes that the call waits again. */
  noteQueued(): void {
    this.state = 'queued';
    this.worker = undefined;
  }

  /** Notes the worker that has it, and its number there. */
  noteSent(worker: PoolWorker, seq: number, now: number): void {
    this.state = 'sent';
    this.worker = worker;
    this.seq = seq;
    this.sentAt = now;
  }

  /** Notes that the caller is answered, and that the worker is to stop the call. */
  noteAbandoned(): void {
    this.state = 'abandoned';
  }

  /** Notes that nothing is left to do for it. */
  noteSettled(): void {
    this.state = 'settled';
  }

  /** Notes that the call's worker was lost. */
  noteLost(): void {
    this.losses += 1;
  }

  /** Notes that the call was taken back from a worker that had not begun it. */
  noteMoved(): void {
    this.moves += 1;
  }

  /** Sets the watch of the call. */
  setWatch(watch: Watch<Call>): void {
    this.watch = watch;
  }

  /** Sets the timer that it has for its worker, or notes that there is none. */
  setTimer(timer: unknown): void {
    this.workerTimer = timer;
  }

  /** Calls the listener of the caller, if there is one. @throws what that throws */
  progress(data: unknown): void {
    this.#listeners?.onProgress?.(data);
  }

  /** Calls the listener of the caller, if there is one. @throws what that throws */
  given(workerId: number): void {
    this.#listeners?.onWorker?.(workerId);
  }

  /** True if the caller runs the call elsewhere while no worker is there. */
  get canLeave(): boolean {
    return this.options?.onNoWorker !== undefined;
  }

  /** Calls the listener of the caller, if there is one: no worker takes the call. @throws what that throws */
  noWorker(error: DispatchError): void {
    this.#listeners?.onNoWorker?.(error);
  }

  /**
   * Answers the caller.
   *
   * @param isCopy - whether an error of a task was copied from its worker
   */
  answer(ending: Ending, value: unknown, isCopy: boolean): void {
    if (ending === 'aborted' || ending === 'rejected') this.items?.cut();
    // Nothing is called for an answered caller. Hooks hold what belongs to a context until this.
    this.#listeners?.context?.emitDestroy();
    // Only an error that was made for this call alone may be changed.
    const isShared = value !== undefined && value === this.options?.signal?.reason;
    const isOurs = !isShared && (DispatchError.is(value) || (ending === 'failed' && isCopy));
    if (ending === 'completed') this.#resolve(value);
    else if (isOurs && value instanceof Error) this.#resolve(withCallers(value));
    else this.#reject(value);
  }

  /** Sets whether the call is a stream whose worker has sent all that it may, and waits for the consumer. */
  stall(isStalled: boolean): void {
    if (this.#isStalled === isStalled || this.worker === undefined) return;
    this.#isStalled = isStalled;
    this.worker.admission.stall(isStalled ? 1 : -1);
  }
}

/** Promise and listeners of a caller. */
export interface Caller {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly listeners: Listeners | undefined;
}

/** Listeners of a caller. */
export interface Listeners {
  readonly onProgress: ((data: unknown) => void) | undefined;
  readonly onWorker: ((workerId: number) => void) | undefined;
  readonly onNoWorker: ((error: DispatchError) => void) | undefined;
  /** Async context of the caller, until it is answered. */
  readonly context: AsyncResource | undefined;
}

/** Returns the listeners of a caller, which are called in its `AsyncLocalStorage`, wherever a frame comes from. */
export function listenersOf(
  { onProgress, onWorker, onNoWorker }: ForwardedRunOptions,
  source: CallSource | undefined,
): Listeners | undefined {
  if (source !== undefined) {
    // It has a context of its own, so none is kept for it.
    const progress = (data: unknown): void => source.progress(data);
    return { onProgress: progress, onWorker, onNoWorker, context: undefined };
  }
  if ((onProgress ?? onWorker ?? onNoWorker) === undefined) return undefined;
  const context = new AsyncResource('ticketing.dispatch');
  return {
    onProgress: onProgress && boundTo(context, onProgress),
    onWorker: onWorker && boundTo(context, onWorker),
    onNoWorker: onNoWorker && boundTo(context, onNoWorker),
    context,
  };
}

/** Returns whether a buffer was moved. Node 20 lacks `detached`: there an empty buffer counts as moved. */
function isDetached(buffer: ArrayBuffer & { readonly detached?: boolean }): boolean {
  return buffer.detached ?? buffer.byteLength === 0;
}

/** Binds like `AsyncResource.bind`, at a tenth of its cost: that also defines properties of the function. */
function boundTo<T>(context: AsyncResource, listener: (value: T) => void): (value: T) => void {
  return (value) => context.runInAsyncScope(listener, undefined, value);
}
