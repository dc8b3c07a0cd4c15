import { tracingChannel } from 'node:diagnostics_channel';
import type { TraceChannel } from '@ticketing/kit';
import type { CallSource, ForwardedCall, ItemOutlet } from '../contract/dispatcher.ts';
import type { RunFrame } from '../contract/frames.ts';
import type { TaskContext } from '../contract/task.ts';
import type { Pump } from './item-pump.ts';

/** One run of a task, as subscribers of `tracing:ticketing:dispatch:task:*` see it: the same object in every event. */
interface TaskTrace {
  readonly task: string;
  /** Number of the call, the same for each attempt. */
  readonly id: number;
  readonly attempt: number;
  readonly workerId: number;
  /** The caller's, and what subscribers of `tracing:ticketing:dispatch:run:start` have added. */
  readonly metadata: Readonly<Record<string, string>>;
  result?: unknown;
  error?: unknown;
}

/**
 * In the worker. The task runs in the stores that are bound to `start`; `end` when it has returned; `error` if it failed, then
 * `asyncStart` and `asyncEnd`, when it has settled.
 */
export const taskChannel: TraceChannel<TaskTrace> = tracingChannel('ticketing:dispatch:task');

/** Publishes the end of a run. */
export function traceSettled(
  trace: TaskTrace,
  outcome: { readonly result: unknown } | { readonly error: unknown },
): void {
  Object.assign(trace, outcome);
  if ('error' in outcome) taskChannel.error.publish(trace);
  taskChannel.asyncStart.publish(trace);
  taskChannel.asyncEnd.publish(trace);
}

/** The caller of a stream that a task passes on to a dispatcher of this process: credit goes there, and items come from there. */
class ItemPass implements ItemOutlet, Pump {
  readonly window: number;
  readonly send: (item: unknown) => void;
  #granted: ((items: number) => void) | undefined;

  constructor(credit: number, send: (item: unknown) => void) {
    this.window = credit;
    this.send = send;
  }

  whenGranted(listener: (items: number) => void): void {
    this.#granted = listener;
  }

  grant(items: number): void {
    this.#granted?.(items);
  }

  /** Does nothing: the abort goes on by itself, and ends the stream there. */
  stop(): void {}
}

/** The runner of a run. */
interface RunReporter {
  readonly workerId: number;
  readonly slot: number;
  readonly workerData: unknown;
  progress(run: TaskRun, data: unknown): void;
  /** @throws DispatchError `ERR_NOT_CLONEABLE` */
  item(run: TaskRun, item: unknown): void;
}

const noMetadata: Readonly<Record<string, string>> = Object.freeze({});

/** One run of a task: the context that the task gets, and its state in the runner. */
export class TaskRun implements TaskContext, CallSource {
  readonly startedAt: number;
  settled = false;
  /** Set while someone subscribes. */
  trace: TaskTrace | undefined = undefined;
  /** Of a stream, while it runs. */
  pump: Pump | undefined = undefined;
  /** Items that the caller of a stream has room for now. */
  room: number;
  /** There is none: it waits. */
  isStalled = false;
  readonly #frame: RunFrame;
  readonly #runner: RunReporter;
  /** Made when it is read: most tasks never read it, and it costs more than all the rest. */
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #listener: ((reason: unknown) => void) | undefined;
  #progress: ((data: unknown) => void) | undefined;

  constructor(frame: RunFrame, runner: RunReporter, startedAt: number) {
    this.#frame = frame;
    this.#runner = runner;
    this.startedAt = startedAt;
    this.room = frame.credit ?? 0;
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
    return this.#runner.workerId;
  }

  get slot(): number {
    return this.#runner.slot;
  }

  get workerData(): unknown {
    return this.#runner.workerData;
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

  /** Made when it is read, as the signal is. */
  get progress(): (this: void, data: unknown) => void {
    this.#progress ??= (data) => {
      if (!this.settled) this.#runner.progress(this, data);
    };
    return this.#progress;
  }

  /** Aborts the task's signal. Its outcome is still reported. */
  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = { reason };
    this.#controller?.abort(reason);
    this.#listener?.(reason);
    this.pump?.stop();
  }

  /** Items that its caller has room for; undefined if it wants a result. */
  get credit(): number | undefined {
    return this.#frame.credit;
  }

  takeItems(): ItemOutlet | undefined {
    const { credit } = this;
    if (credit === undefined) return undefined;
    const pass = new ItemPass(credit, (item) => this.#runner.item(this, item));
    this.pump = pass;
    return pass;
  }

  get isAborted(): boolean {
    return this.#aborted !== undefined;
  }

  /** Calls one listener with the reason of the abort. */
  whenAborted(listener: (reason: unknown) => void): void {
    if (this.#aborted === undefined) this.#listener = listener;
    else listener(this.#aborted.reason);
  }
}

/**
 * Runs a task in a dispatcher of this process for the task of a context: an abort of that aborts this, and progress and items
 * of this are those of that. Costs less than a signal and a listener. Of a stream it resolves after the last item.
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
  // Whoever has put another `run` over that of its class wants to see each call.
  const { run } = Object.getPrototypeOf(dispatcher) as Partial<ForwardingDispatcher>;
  return run === own.run ? own.forward?.(call, context) : undefined;
}

/** Returns how many items the caller of a task has room for at first; undefined if it wants a result, and no items. */
export function streamWindow(context: TaskContext): number | undefined {
  return context instanceof TaskRun ? context.credit : undefined;
}

interface ForwardingDispatcher {
  readonly run: unknown;
  forward(call: ForwardedCall, source: CallSource): Promise<unknown>;
}
