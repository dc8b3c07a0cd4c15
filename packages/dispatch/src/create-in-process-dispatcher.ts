import { AsyncResource } from 'node:async_hooks';
import type { Dispatcher } from './contract/dispatcher.ts';
import type { PoolOptions } from './contract/pool-options.ts';
import type { TaskMap, TaskModule } from './contract/task.ts';
import type {
  FromWorker,
  ToWorker,
  Transport,
  Unsent,
  WorkerEvents,
  WorkerHandle,
  WorkerStart,
} from './contract/transport.ts';
import { checkTaskModule, isFinalFailure, isTaskModule, loadTaskModule } from './define-tasks.ts';
import { createDispatcher } from './kernel/create-pool.ts';
import { isTransferred } from './task-results.ts';
import { describeValue } from './wire/describe-value.ts';
import { createTaskRunner, type TaskRunner } from './worker/task-runner.ts';

/**
 * Runs tasks in this process: for tasks that wait more than they compute, and as a double in tests.
 * Inputs and results are handed over, not cloned. `min` and `max` are 1 unless given.
 *
 * @throws TypeError or RangeError for options; DispatchError `ERR_BAD_MODULE` for what `defineTasks` did not make
 * @example
 * const tasks = defineTasks({ double: (n: number) => 2 * n });
 * await using dispatcher = createInProcessDispatcher(tasks);
 * await dispatcher.run('double', 21); // 42
 */
export function createInProcessDispatcher<M extends TaskMap>(
  module: TaskModule<M>,
  options: PoolOptions = {},
): Dispatcher<M> {
  checkTaskModule(module, 'the module given');
  const transport = createInProcessTransport(module as TaskModule<TaskMap>);
  return createDispatcher(transport, { max: 1, ...options });
}

/**
 * Makes workers of this very thread. Inputs, results and buffers are handed over as they are: nothing is cloned or moved, so a task that
 * changes its input changes the caller's. A task that loops for ever cannot be ended, and one that crashes takes the process along.
 * Tasks see the async context of this call, not their caller's.
 *
 * @throws TypeError for a module that `defineTasks` has not made
 */
export function createInProcessTransport(module: TaskModule<TaskMap>): Transport {
  if (!isTaskModule(module)) {
    const got = describeValue(module);
    throw new TypeError(
      `Cannot create in-process transport: module must be made by defineTasks, got ${got}`,
    );
  }
  // A worker may start in the midst of some call.
  const scope = new AsyncResource('ticketing.dispatch', { requireManualDestroy: true });
  return {
    kind: 'in-process',
    capabilities: { isolation: 'none', hardKill: false, transfer: true },
    autoWindow: { first: WINDOW, max: WINDOW },
    spawn: (worker, events) =>
      scope.runInAsyncScope(() => new InProcessWorker(module, worker, events)),
    close: () => Promise.resolve(),
  };
}

/**
 * Tasks under way at a time unless `window` says so: tasks here wait for something else, so it is large; but it is a bound, above
 * which calls wait, and `maxQueue` holds.
 */
const WINDOW = 1024;

const nothingUnsent: readonly Unsent[] = [];

class InProcessWorker implements WorkerHandle {
  readonly pid: number = process.pid;
  readonly #events: WorkerEvents;
  #runner: TaskRunner | undefined;
  /** What came before the worker was ready. */
  #early: ToWorker[] = [];
  #started = 0;
  /** Told in one call as a microtask, never while the kernel sends. */
  #told: FromWorker[] = [];
  #ended = false;

  constructor(module: TaskModule<TaskMap>, worker: WorkerStart, events: WorkerEvents) {
    this.#events = events;
    void this.#start(module, worker);
  }

  send(frames: readonly ToWorker[]): readonly Unsent[] {
    if (this.#runner === undefined) this.#early.push(...frames);
    else this.#runner.accept(frames);
    return nothingUnsent;
  }

  started(): number {
    return this.#started;
  }

  kill(): void {
    this.#runner?.halt();
    this.#end(undefined);
  }

  /** Nothing to do: what runs here keeps the process alive or not by itself. */
  hold(): void {}

  async #start(given: TaskModule<TaskMap>, { workerId, module: url }: WorkerStart): Promise<void> {
    try {
      const module = url === undefined ? given : await loadTaskModule(url.href);
      const runner = createTaskRunner(module, {
        workerId,
        emit: this.#tell,
        claim: (seq) => {
          this.#started = seq;
          return true;
        },
        stopped: (failure) => this.#end(failure),
        now: () => performance.now(),
      });
      await runner.start();
      if (this.#ended) return;
      this.#runner = runner;
      runner.accept(this.#early);
    } catch (error) {
      const final = url !== undefined && isFinalFailure(error, url.href);
      this.#tell({ kind: 'start-failed', error, final });
      this.#end(undefined);
    }
  }

  readonly #tell = (frame: FromWorker): void => {
    if (this.#ended) return;
    if (this.#told.length === 0) queueMicrotask(this.#deliver);
    this.#told.push(
      frame.kind === 'done' && isTransferred(frame.value)
        ? { ...frame, value: frame.value.value }
        : frame,
    );
  };

  readonly #deliver = (): void => {
    const frames = this.#told;
    this.#told = [];
    this.#events.frames(frames);
  };

  /** After what was told before. */
  #end(failure: { readonly error: unknown } | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    queueMicrotask(() => {
      const cause = failure === undefined ? {} : { cause: failure.error };
      this.#events.exit({ exitCode: undefined, signal: undefined, stderrTail: '', ...cause });
    });
  }
}
