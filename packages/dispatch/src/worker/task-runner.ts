import type { FromWorker, RunFrame, ToWorker } from '../contract/frames.ts';
import type { TaskFn, TaskMap, TaskModule } from '../contract/task.ts';
import { saysNotCloneable, saysUnknown } from '../error-texts.ts';
import { DispatchError } from '../errors.ts';
import { InFlight } from '../in-flight.ts';
import { isJsonTask } from '../json-task.ts';
import { asDelivered, isRawJson, isTransferred } from '../task-results.ts';
import { ModuleHooks } from './module-hooks.ts';
import { RunQueue, type TurnOptions } from './run-queue.ts';
import { TaskRun, taskChannel } from './task-run.ts';

/** Worker around a runner. */
export interface TaskRunnerOptions extends TurnOptions {
  readonly workerId: number;
  readonly slot: number;
  readonly workerData?: unknown;
  /** Names the worker in the error for an unknown task. Default: its number. */
  readonly name?: string | undefined;
  /**
   * Called with each frame for the kernel; `started` comes before its task is called, so that it can be sent at once. An
   * error that it throws for a result or progress datum, such as one that cannot be cloned, fails that task.
   */
  emit(frame: FromWorker): void;
  /**
   * Claims a call, in the order of `seq`. True: it is recorded where the record outlives this worker, as a call that has run if
   * the worker dies from here on. False: the kernel has taken the call back, and the worker drops it.
   */
  claim(seq: number): boolean;
  /** Called once after `stop`, when the last task has settled and `teardown` is over. */
  stopped(failure: { readonly error: unknown } | undefined): void;
  /** Returns true for the error of a task that was lost with a worker behind this one, to which it was passed on. Default: none does. */
  readonly isLoss?: ((error: unknown) => boolean) | undefined;
  /**
   * Called when a stream has sent all that its caller has room for, and again when it goes on or has settled: until then it
   * takes no room of the worker.
   */
  readonly stalled?: ((seq: number, isStalled: boolean) => void) | undefined;
  /** Returns monotonic milliseconds. */
  now(): number;
}

/** Runs the tasks of one worker. It throws nothing that a task throws, and no task sees another's async context. */
export class TaskRunner {
  readonly #options: TaskRunnerOptions;
  readonly #siblings: TaskMap;
  /** Map of the siblings, in which `constructor` is unknown. */
  readonly #tasks: ReadonlyMap<string, TaskFn<unknown, unknown>>;
  /** Names of the tasks that `json` has marked. */
  readonly #jsonTasks: ReadonlySet<string>;
  readonly #hooks: ModuleHooks;
  readonly #queue: RunQueue;
  /** Runs that have begun and not settled. */
  readonly #running = new InFlight<TaskRun>();
  readonly workerId: number;
  readonly slot: number;
  readonly workerData: unknown;
  #isDraining = false;
  /** `stopping` once `stop` has come, `stopped` once no task is left and `teardown` has begun. */
  #phase: 'open' | 'stopping' | 'stopped' = 'open';
  #isSilent = false;

  constructor({ tasks, hooks }: TaskModule<TaskMap>, options: TaskRunnerOptions) {
    this.#options = options;
    this.workerId = options.workerId;
    this.slot = options.slot;
    this.workerData = options.workerData;
    this.#siblings = tasks;
    const entries = Object.entries(tasks);
    this.#tasks = new Map(entries);
    this.#jsonTasks = new Set(entries.flatMap(([name, task]) => (isJsonTask(task) ? name : [])));
    this.#hooks = new ModuleHooks(hooks);
    this.#queue = new RunQueue(options, () => this.#drain());
  }

  /** Runs `setup`, and emits `ready`. @throws what `setup` throws */
  async start(): Promise<void> {
    const { workerId, slot, workerData } = this;
    await this.#hooks.setUp({ workerId, slot, workerData });
    const jsonTasks = this.#jsonTasks.size === 0 ? undefined : [...this.#jsonTasks];
    this.#tell({ kind: 'ready', tasks: [...this.#tasks.keys()], jsonTasks });
    this.#hooks.report(this.#tell);
  }

  /** Applies frames. Calls start in their order, now or after the calls that wait; aborts apply first. */
  accept(frames: readonly ToWorker[]): void {
    for (const frame of frames) {
      if (frame.kind === 'run') this.#queue.push(frame);
      else if (frame.kind === 'abort') this.#abort(frame.seq, frame.reason);
      else if (frame.kind === 'credit') this.#running.get(frame.seq)?.pump?.grant(frame.items);
      else if (frame.kind === 'health') this.#hooks.checkHealth(this.#tell);
      else if (frame.kind === 'stop' && this.#phase === 'open') this.#phase = 'stopping';
    }
    this.#drain();
    this.#queue.settle();
  }

  /** True if no task runs or waits. */
  get isIdle(): boolean {
    return this.#running.size === 0 && this.#queue.isEmpty;
  }

  /** Stops starting tasks and emitting frames. Running tasks continue. */
  halt(): void {
    this.#silence();
    this.#hooks.end();
  }

  /** Halts, and aborts running tasks: no caller is waiting. */
  abandon(reason: unknown): void {
    this.#silence();
    for (const run of [...this.#running]) this.#hooks.apart(() => run.abort(reason));
    this.#hooks.end();
  }

  /** Emits a progress datum of a run; the run fails if that throws. */
  progress(run: TaskRun, data: unknown): void {
    try {
      this.#tell({ kind: 'progress', seq: run.seq, data });
    } catch (cause) {
      this.#fail(run, this.#notSendable('progress', run, { value: data, cause }));
    }
  }

  #silence(): void {
    this.#isSilent = true;
    this.#queue.clear();
  }

  readonly #tell = (frame: FromWorker): void => {
    if (!this.#isSilent) this.#options.emit(frame);
  };

  #abort(seq: number, reason: unknown): void {
    const run = this.#running.get(seq);
    if (run !== undefined) this.#hooks.apart(() => run.abort(reason));
    else if (this.#queue.remove(seq)) this.#tell({ kind: 'dropped', seq });
  }

  /** Runs calls that wait. Does nothing within itself, as when a task calls its own dispatcher: the outer loop does the work. */
  #drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    // One look for all tasks of a turn: it takes as long as a small task.
    const isTraced = taskChannel.hasSubscribers;
    try {
      while (!this.#queue.isEmpty) {
        const now = this.#options.now();
        const frame = this.#queue.shift(now);
        if (frame === undefined) break;
        this.#run(frame, now, isTraced);
      }
    } finally {
      this.#isDraining = false;
    }
    this.#stopWhenIdle();
  }

  #run(frame: RunFrame, now: number, isTraced: boolean): void {
    const { seq, input } = frame;
    // Past its deadline no caller is waiting: it never starts.
    const isLate = frame.deadline !== undefined && Date.now() >= frame.deadline;
    if (this.#phase === 'stopped' || isLate || !this.#options.claim(seq)) {
      this.#tell({ kind: 'dropped', seq });
      return;
    }
    const run = new TaskRun(frame, this, now);
    this.#running.add(run);
    if (frame.announce) this.#tell({ kind: 'started', seq });
    try {
      const task = this.#taskOf(frame, run);
      const result = isTraced
        ? this.#runTraced(task, input, run)
        : this.#hooks.scope.runInAsyncScope(task, this.#siblings, input, run);
      if (isThenable(result)) this.#await(run, result);
      else if (isItems(result)) throw isNotFor(run.task, 'run');
      else this.#complete(run, result);
    } catch (error) {
      this.#fail(run, error);
    }
  }

  /** Returns the task of a call; for a stream, one that settles after the last item. @throws DispatchError `ERR_UNKNOWN_TASK` */
  #taskOf({ task: name, credit }: RunFrame, run: TaskRun): TaskFn<unknown, unknown> {
    const task = this.#tasks.get(name);
    if (task === undefined) throw this.#unknownTask(name);
    if (credit === undefined) return task;
    const { now, afterTurn, stalled } = this.#options;
    const pump = run.openPump(credit, {
      send: (item) => this.#sendItem(run, item),
      stalled: (isStalled) => {
        if (!this.#isSilent) stalled?.(run.seq, isStalled);
      },
      now,
      ...(afterTurn && { afterTurn }),
    });
    return (input, context) => {
      const items = task.call(this.#siblings, input, context);
      if (pump.isTaken && isThenable(items)) return items;
      if (isItems(items)) return pump.run(items);
      // Its outcome is of no use to anyone.
      if (isThenable(items)) items.then(undefined, () => {});
      throw isNotFor(name, 'stream');
    };
  }

  #runTraced(task: TaskFn<unknown, unknown>, input: unknown, run: TaskRun): unknown {
    const trace = run.openTrace();
    try {
      return this.#hooks.apart(() =>
        taskChannel.start.runStores(trace, task, this.#siblings, input, run),
      );
    } finally {
      taskChannel.end.publish(trace);
    }
  }

  /** Awaits a result. `Promise.resolve` keeps a promise as it is, and calls any other `then` later, once. */
  #await(run: TaskRun, result: PromiseLike<unknown>): void {
    Promise.resolve(result).then(
      (value) => this.#complete(run, value),
      (error) => this.#fail(run, error),
    );
  }

  /** Sends an item of a run. @throws DispatchError `ERR_NOT_CLONEABLE` */
  #sendItem(run: TaskRun, item: unknown): void {
    try {
      const json = this.#goesAsJson(run, item);
      this.#tell({ kind: 'item', seq: run.seq, value: asDelivered(item), json });
    } catch (cause) {
      throw this.#notSendable('an item', run, { value: item, cause });
    }
  }

  #complete(run: TaskRun, result: unknown): void {
    if (!run.settle('result', result)) return;
    const { seq } = run;
    this.#running.delete(seq);
    const runMs = this.#options.now() - run.startedAt;
    try {
      const json = this.#goesAsJson(run, result);
      this.#tell({ kind: 'done', seq, value: asDelivered(result), runMs, json });
    } catch (cause) {
      const error = this.#notSendable('the result', run, { value: result, cause });
      this.#tell({ kind: 'failed', seq, error, runMs });
    }
    this.#stopWhenIdle();
  }

  #fail(run: TaskRun, error: unknown): void {
    if (!run.settle('error', error)) return;
    const { seq } = run;
    this.#running.delete(seq);
    if (this.#options.isLoss?.(error)) this.#tell({ kind: 'lost', seq, error });
    else this.#tell({ kind: 'failed', seq, error, runMs: this.#options.now() - run.startedAt });
    this.#stopWhenIdle();
  }

  #goesAsJson(run: TaskRun, value: unknown): true | undefined {
    if (this.#jsonTasks.size === 0 || !this.#jsonTasks.has(run.task)) return undefined;
    return isRawJson(value) || isTransferred(value) ? undefined : true;
  }

  #stopWhenIdle(): void {
    if (this.#phase !== 'stopping' || this.#isDraining || !this.isIdle) return;
    this.#phase = 'stopped';
    this.#hooks.tearDown((failure) => this.#options.stopped(failure));
  }

  #unknownTask(task: string): DispatchError {
    const { workerId, name } = this.#options;
    const where = name === undefined ? '' : ` on ${name}`;
    const text = saysUnknown(task, [...this.#tasks.keys()], where);
    const data = { name: name ?? `worker ${workerId}`, task };
    return new DispatchError('ERR_UNKNOWN_TASK', text, { data });
  }

  /** Returns the error for a value of a task that cannot be sent: the error of the port, if it is a DispatchError. */
  #notSendable(
    what: 'the result' | 'an item' | 'progress',
    { task }: TaskRun,
    { value, cause }: { readonly value: unknown; readonly cause: unknown },
  ): DispatchError {
    if (DispatchError.is(cause)) return cause;
    const given = isTransferred(value) ? value.value : value;
    const text = saysNotCloneable(what, task, { value: given, cause });
    const data = { name: `worker ${this.workerId}`, task };
    return new DispatchError('ERR_NOT_CLONEABLE', text, { data, cause });
  }
}

/** Returns the error of a task that gives items to `run`, or a result to `stream`. */
function isNotFor(task: string, method: 'run' | 'stream'): TypeError {
  const why =
    method === 'run'
      ? 'it gives items one by one; use `stream`'
      : 'it gives one result, no items; use `run`';
  return new TypeError(`Cannot ${method} task \`${task}\`: ${why}`);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && typeof value['then'] === 'function';
}

/** Returns true if a task has returned items, one after the other. */
function isItems(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && typeof value[Symbol.asyncIterator] === 'function';
}

function isObject(value: unknown): value is Record<string | symbol, unknown> {
  return typeof value === 'object' ? value !== null : typeof value === 'function';
}
