import { tracingChannel } from 'node:diagnostics_channel';
import type { TraceChannel } from '@ticketing/kit';
import type { TaskMessage } from '../contract/dispatch-messages.ts';
import type { CallSource, ForwardedCall, ItemOutlet } from '../contract/dispatcher.ts';
import type { RunFrame } from '../contract/frames.ts';
import type { TaskContext } from '../contract/task.ts';
import { ItemPump, type PumpOptions } from './item-pump.ts';

/**
 * Channel of runs, in the worker. The task runs in the stores that are bound to `start`; `end` when it has returned; `error` if it
 * failed, then `asyncStart` and `asyncEnd`, when it has settled.
 */
export const taskChannel: TraceChannel<TaskMessage> = tracingChannel('ticketing:dispatch:task');

/** Worker of a run, and its way to the caller. */
type RunWorker = Pick<TaskContext, 'workerId' | 'slot' | 'workerData'> & {
  progress(run: TaskRun, data: unknown): void;
};

const noMetadata: Readonly<Record<string, string>> = Object.freeze({});

/** Run of a task: the context that the task gets, and its state. */
export class TaskRun implements TaskContext, CallSource {
  readonly startedAt: number;
  readonly #frame: RunFrame;
  readonly #worker: RunWorker;
  #hasSettled = false;
  #trace: TaskMessage | undefined;
  /** Pump of a stream, once it is open. */
  pump: ItemPump | undefined;
  /** Created on first read: most tasks never read it, and it costs more than all the rest. */
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #listener: ((reason: unknown) => void) | undefined;
  #progress: ((data: unknown) => void) | undefined;

  constructor(frame: RunFrame, worker: RunWorker, startedAt: number) {
    this.#frame = frame;
    this.#worker = worker;
    this.startedAt = startedAt;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  get id(): number {
    return this.#frame.id;
  }

  get attempt(): number {
    return this.#frame.attempt;
  }

  get deadline(): number | undefined {
    return this.#frame.deadline;
  }

  get workerId(): number {
    return this.#worker.workerId;
  }

  get slot(): number {
    return this.#worker.slot;
  }

  get workerData(): unknown {
    return this.#worker.workerData;
  }

  get metadata(): Readonly<Record<string, string>> {
    return this.#frame.metadata ?? noMetadata;
  }

  get seq(): number {
    return this.#frame.seq;
  }

  get task(): string {
    return this.#frame.task;
  }

  get progress(): (this: void, data: unknown) => void {
    this.#progress ??= (data) => {
      if (!this.#hasSettled) this.#worker.progress(this, data);
    };
    return this.#progress;
  }

  /** Items that the caller of a stream has room for at first; undefined for a call that wants a result. */
  get credit(): number | undefined {
    return this.#frame.credit;
  }

  /** Opens the pump of a stream, before the task is called. */
  openPump(window: number, options: PumpOptions): ItemPump {
    this.pump = new ItemPump(window, options);
    return this.pump;
  }

  takeItems(): ItemOutlet | undefined {
    return this.pump?.take();
  }

  /** Aborts the task's signal. Its outcome is still reported. */
  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = { reason };
    this.#controller?.abort(reason);
    this.#listener?.(reason);
    this.pump?.stop();
  }

  /** Calls one listener with the reason of the abort. */
  whenAborted(listener: (reason: unknown) => void): void {
    if (this.#aborted === undefined) this.#listener = listener;
    else listener(this.#aborted.reason);
  }

  /** Opens the trace of the run, if a subscriber wants it. */
  openTrace(): TaskMessage {
    const { task, id, attempt, workerId, metadata } = this;
    this.#trace = { task, id, attempt, workerId, metadata };
    return this.#trace;
  }

  /** Settles the run, and its trace. @returns false if it had settled before */
  settle(outcome: 'result' | 'error', value: unknown): boolean {
    if (this.#hasSettled) return false;
    this.#hasSettled = true;
    this.pump?.settle();
    const trace = this.#trace;
    if (trace === undefined) return true;
    trace[outcome] = value;
    if (outcome === 'error') taskChannel.error.publish(trace);
    taskChannel.asyncStart.publish(trace);
    taskChannel.asyncEnd.publish(trace);
    return true;
  }
}

/**
 * Runs a task in a dispatcher of this process for the task of `context`: an abort of the context aborts the call, whose progress
 * and items go to the caller of the context. Costs less than a signal and a listener. A stream resolves after the last item.
 *
 * @returns nothing for a dispatcher or a context that cannot do so
 */
export function forwardCall(
  dispatcher: object,
  context: TaskContext,
  call: ForwardedCall,
): Promise<unknown> | undefined {
  if (!(context instanceof TaskRun)) return undefined;
  const own = dispatcher as Partial<ForwardingDispatcher>;
  // A dispatcher whose `run` is not that of its class, as of a wrapper, sees each call.
  const { run } = Object.getPrototypeOf(dispatcher) as Partial<ForwardingDispatcher>;
  return run === own.run ? own.forward?.(call, context) : undefined;
}

/** Returns the number of items that the caller of a task has room for at first; undefined for a caller that wants a result. */
export function streamWindow(context: TaskContext): number | undefined {
  return context instanceof TaskRun ? context.credit : undefined;
}

interface ForwardingDispatcher {
  readonly run: unknown;
  forward(call: ForwardedCall, source: CallSource): Promise<unknown>;
}
