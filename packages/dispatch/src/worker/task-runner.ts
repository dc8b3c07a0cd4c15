import { AsyncResource } from 'node:async_hooks';
import type { CreditFrame, FromWorker, RunFrame, ToWorker } from '../contract/frames.ts';
import type { TaskFn, TaskMap, TaskModule } from '../contract/task.ts';
import { InFlight } from '../in-flight.ts';
import { isJsonTask } from '../json-task.ts';
import { asDelivered, isRawJson, isTransferred } from '../task-results.ts';
import { FrameQueue } from './frame-queue.ts';
import { ItemPump, isItems, isThenable } from './item-pump.ts';
import { givesItems, givesNoItems, notSendable, unknownTask } from './run-errors.ts';
import { TaskRun, taskChannel, traceSettled } from './task-run.ts';
import { afterPoll, TurnLimit, type TurnOptions } from './turn-limit.ts';

/** What a runner needs of the worker around it. */
export interface TaskRunnerOptions extends TurnOptions {
  readonly workerId: number;
  readonly slot: number;
  /** As in the task's context. */
  readonly workerData?: unknown;
  /** Names the worker in the error for an unknown task. Default: its number. */
  readonly name?: string | undefined;
  /**
   * Called with each frame for the kernel; `started` comes before its task is called, so that it can be sent at once. An
   * error that it throws for a result or progress datum, such as one that cannot be cloned, fails that task.
   */
  emit(frame: FromWorker): void;
  /** Called before a task is. True: if the worker dies from here on, the task has run. False: the runner drops it. */
  claim(seq: number): boolean;
  /** Called once after `stop`, when the last task has settled and `teardown` is over. */
  stopped(failure: { readonly error: unknown } | undefined): void;
  /** Whether an error says that the task was lost with a worker behind this one. Default: none does. */
  isLoss?: ((error: unknown) => boolean) | undefined;
  /** Called when a stream has sent all that its caller has room for; again when it goes on, or before it settles. */
  stalled?: ((seq: number, isStalled: boolean) => void) | undefined;
  /** Returns monotonic milliseconds. */
  now(): number;
}

const REPORT_EVERY_MS = 500;

/** Runs the tasks of one worker. It throws nothing that a task throws, and no task sees another's async context. */
export class TaskRunner {
  readonly workerId: number;
  readonly slot: number;
  readonly workerData: unknown;
  readonly #module: TaskModule<TaskMap>;
  /** A map, so that `constructor` is unknown. */
  readonly #tasks: ReadonlyMap<string, TaskFn<unknown, unknown>>;
  /** The names of those that `json` has marked. */
  readonly #jsonTasks: ReadonlySet<string>;
  readonly #options: TaskRunnerOptions;
  /** Of the worker's start. Destroyed with it: hooks hold what belongs to it until then. */
  readonly #scope = new AsyncResource('ticketing.dispatch');
  #hasEnded = false;
  readonly #queue = new FrameQueue();
  /** Runs that returned a promise. */
  readonly #running = new InFlight<TaskRun>();
  /** The run whose code is on the stack. */
  #current: TaskRun | undefined;
  readonly #turn: TurnLimit;
  #draining = false;
  #isTraced = false;
  /** When the next task begins. */
  #now = 0;
  #stop: 'asked' | 'begun' | undefined;
  #halted = false;
  #reporting: NodeJS.Timeout | undefined;

  constructor(module: TaskModule<TaskMap>, options: TaskRunnerOptions) {
    this.workerId = options.workerId;
    this.slot = options.slot;
    this.workerData = options.workerData;
    this.#turn = new TurnLimit(options, () => this.#drain());
    this.#module = module;
    const tasks = Object.entries(module.tasks);
    this.#tasks = new Map(tasks);
    this.#jsonTasks = new Set(tasks.filter(([, task]) => isJsonTask(task)).map(([name]) => name));
    this.#options = options;
  }

  /** Runs `setup`, and emits `ready`. @throws what `setup` throws */
  async start(): Promise<void> {
    const { setup } = this.#module.hooks;
    const { workerId, slot, workerData } = this;
    await this.#apart(() => setup?.({ workerId, slot, workerData }));
    const jsonTasks = this.#jsonTasks.size === 0 ? undefined : [...this.#jsonTasks];
    this.#tell({ kind: 'ready', tasks: [...this.#tasks.keys()], jsonTasks });
    if (this.#module.hooks.report === undefined || this.#halted) return;
    this.#apart(() => {
      this.#reporting = setInterval(this.#report, REPORT_EVERY_MS).unref();
    });
    this.#report();
  }

  /** Applies frames. Calls start in their order, now or after those that wait; aborts apply first. */
  accept(frames: readonly ToWorker[]): void {
    for (const frame of frames) {
      if (frame.kind === 'run') this.#queue.push(frame);
      else if (frame.kind === 'abort') this.#abort(frame.seq, frame.reason);
      else if (frame.kind === 'credit') this.#grant(frame);
      else if (frame.kind === 'health') void this.#apart(this.#tellHealth);
      else if (frame.kind === 'stop') this.#stop ??= 'asked';
    }
    this.#drain();
    if (this.#queue.empty) this.#turn.emptied();
  }

  /** Whether no task runs or waits. */
  get isIdle(): boolean {
    return this.#running.size === 0 && this.#queue.empty;
  }

  /** Stops starting tasks and emitting frames. Running tasks continue. */
  halt(): void {
    this.#silence();
    this.#end();
  }

  /** Halts, and aborts running tasks: no caller is waiting. */
  abandon(reason: unknown): void {
    this.#silence();
    for (const run of [...this.#running]) this.#apart(() => run.abort(reason));
    this.#end();
  }

  /** Emits a progress datum of a run; the run fails if that throws. */
  progress(run: TaskRun, data: unknown): void {
    try {
      this.#tell({ kind: 'progress', seq: run.seq, data });
    } catch (error) {
      this.#fail(run, notSendable('progress', run, { value: data, cause: error }));
    }
  }

  /** Runs hooks and listeners in the async context of the worker's start, whoever caused them. */
  #apart<T>(work: () => T): T {
    return this.#scope.runInAsyncScope(work, this);
  }

  #tell(frame: FromWorker): void {
    if (!this.#halted) this.#options.emit(frame);
  }

  #abort(seq: number, reason: unknown): void {
    const run = this.#current?.seq === seq ? this.#current : this.#running.get(seq);
    if (run !== undefined) this.#apart(() => run.abort(reason));
    else if (this.#queue.remove(seq)) this.#tell({ kind: 'dropped', seq });
  }

  /** Does nothing within itself, as when a task calls its own dispatcher: the outer loop does the work. */
  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    // Once for all tasks of a turn: to ask takes as long as a small task.
    this.#isTraced = taskChannel.hasSubscribers;
    try {
      for (let frame = this.#next(); frame !== undefined; frame = this.#next()) this.#run(frame);
    } finally {
      this.#draining = false;
    }
    if (this.#stop === 'asked') this.#stopWhenIdle();
  }

  #next(): RunFrame | undefined {
    if (this.#queue.empty) return undefined;
    this.#now = this.#options.now();
    return this.#turn.allows(this.#now) ? this.#queue.shift() : undefined;
  }

  #run(frame: RunFrame): void {
    const { seq } = frame;
    // Past its deadline no caller is waiting: it never starts.
    const isLate = frame.deadline !== undefined && Date.now() >= frame.deadline;
    if (this.#stop === 'begun' || isLate || !this.#options.claim(seq)) {
      this.#tell({ kind: 'dropped', seq });
      return;
    }
    const run = new TaskRun(frame, this, this.#now);
    if (frame.announce) this.#tell({ kind: 'started', seq });
    this.#current = run;
    try {
      const task = this.#tasks.get(frame.task);
      if (task === undefined) {
        const owner = this.#options.name;
        throw unknownTask(frame.task, [...this.#tasks.keys()], { workerId: this.workerId, owner });
      }
      const work = frame.credit === undefined ? task : this.#streaming(task, frame.credit);
      const result = this.#isTraced
        ? this.#runTraced(work, frame, run)
        : this.#scope.runInAsyncScope(work, this.#module.tasks, frame.input, run);
      if (isThenable(result)) this.#await(run, result);
      else if (isItems(result)) throw givesItems(frame.task);
      else this.#complete(run, result);
    } catch (error) {
      this.#fail(run, error);
    } finally {
      this.#current = undefined;
    }
  }

  /** Returns a task that gives the items of another one, and settles after the last. */
  #streaming(task: TaskFn<unknown, unknown>, credit: number): TaskFn<unknown, unknown> {
    const { now, afterTurn = afterPoll } = this.#options;
    return (input, context) => {
      const run = context as TaskRun;
      const items = task.call(this.#module.tasks, input, context);
      // Passed on: its items come by `item`.
      if (run.pump !== undefined && isThenable(items)) return items;
      if (!isItems(items)) {
        // Its outcome is of no use to anyone.
        if (isThenable(items)) items.then(undefined, () => {});
        throw givesNoItems(run.task);
      }
      const send = (item: unknown): void => this.item(run, item);
      const pump = new ItemPump(items, credit, { send, now, afterTurn });
      run.pump = pump;
      if (run.isAborted) pump.stop();
      return pump.run();
    };
  }

  /** Sends an item of a run. @throws DispatchError `ERR_NOT_CLONEABLE` */
  item(run: TaskRun, item: unknown): void {
    try {
      const json = this.#goesAsJson(run, item);
      this.#tell({ kind: 'item', seq: run.seq, value: asDelivered(item), json });
    } catch (cause) {
      throw notSendable('an item', run, { value: item, cause });
    }
    run.room -= 1;
    if (run.room === 0) this.#stall(run, true);
  }

  #grant({ seq, items }: CreditFrame): void {
    const run = this.#running.get(seq);
    if (run === undefined) return;
    run.room += items;
    this.#stall(run, false);
    run.pump?.grant(items);
  }

  #stall(run: TaskRun, isStalled: boolean): void {
    if (run.isStalled === isStalled || this.#halted) return;
    run.isStalled = isStalled;
    this.#options.stalled?.(run.seq, isStalled);
  }

  #runTraced(task: TaskFn<unknown, unknown>, frame: RunFrame, run: TaskRun): unknown {
    const { workerId } = this;
    const { id, attempt, metadata } = run;
    run.trace = { task: frame.task, id, attempt, workerId, metadata };
    const { trace } = run;
    try {
      return this.#apart(() =>
        taskChannel.start.runStores(trace, task, this.#module.tasks, frame.input, run),
      );
    } finally {
      taskChannel.end.publish(trace);
    }
  }

  /** `Promise.resolve` keeps a promise as it is, and calls any other `then` later, once. */
  #await(run: TaskRun, result: PromiseLike<unknown>): void {
    const promise = Promise.resolve(result);
    this.#running.add(run);
    promise.then(
      (value) => this.#complete(run, value),
      (error) => this.#fail(run, error),
    );
  }

  #complete(run: TaskRun, result: unknown): void {
    if (!this.#settle(run)) return;
    if (run.trace !== undefined) traceSettled(run.trace, { result });
    const { seq } = run;
    const runMs = this.#options.now() - run.startedAt;
    try {
      const json = this.#goesAsJson(run, result);
      this.#tell({ kind: 'done', seq, value: asDelivered(result), runMs, json });
    } catch (cause) {
      const error = notSendable('the result', run, { value: result, cause });
      this.#tell({ kind: 'failed', seq, error, runMs });
    }
    this.#stopWhenIdle();
  }

  #goesAsJson(run: TaskRun, value: unknown): true | undefined {
    if (this.#jsonTasks.size === 0 || !this.#jsonTasks.has(run.task)) return undefined;
    return isRawJson(value) || isTransferred(value) ? undefined : true;
  }

  #fail(run: TaskRun, error: unknown): void {
    if (!this.#settle(run)) return;
    if (run.trace !== undefined) traceSettled(run.trace, { error });
    const { seq } = run;
    if (this.#options.isLoss?.(error)) this.#tell({ kind: 'lost', seq, error });
    else {
      const runMs = this.#options.now() - run.startedAt;
      this.#tell({ kind: 'failed', seq, error, runMs });
    }
    this.#stopWhenIdle();
  }

  #settle(run: TaskRun): boolean {
    if (run.settled) return false;
    run.settled = true;
    this.#stall(run, false);
    this.#running.delete(run.seq);
    return true;
  }

  readonly #report = (): void => {
    try {
      this.#tell({ kind: 'module-report', data: this.#module.hooks.report?.() });
    } catch {
      // A worker does not end for a statistic.
    }
  };

  async #tellHealth(): Promise<void> {
    try {
      await this.#module.hooks.health?.();
      this.#tell({ kind: 'healthy' });
    } catch (error) {
      this.#tell({ kind: 'healthy', error });
    }
  }

  #silence(): void {
    this.#halted = true;
    clearInterval(this.#reporting);
    this.#queue.clear();
  }

  /** Nothing more runs in its context. */
  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#scope.emitDestroy();
  }

  #stopWhenIdle(): void {
    if (this.#stop !== 'asked' || this.#draining) return;
    if (!this.isIdle) return;
    this.#stop = 'begun';
    clearInterval(this.#reporting);
    void this.#apart(this.#tearDown);
  }

  async #tearDown(): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    try {
      await this.#module.hooks.teardown?.();
    } catch (error) {
      failure = { error };
    }
    this.#end();
    this.#options.stopped(failure);
  }
}
