import { AsyncResource } from 'node:async_hooks';
import { aFlag, type Rules, resolveByRules } from '@ticketing/kit';
import { CloningWorker } from './cloning-worker.ts';
import type { Dispatcher } from './contract/dispatcher.ts';
import type { FromWorker, ToWorker } from './contract/frames.ts';
import type { PoolOptions } from './contract/pool-options.ts';
import type { TaskMap, TaskModule } from './contract/task.ts';
import type {
  Transport,
  Unsent,
  WorkerEvents,
  WorkerHandle,
  WorkerStart,
} from './contract/transport.ts';
import { checkTaskModule, isFinalFailure, loadTaskModule } from './define-tasks.ts';
import { createDispatcher } from './kernel/create-pool.ts';
import { splitPoolOptions } from './kernel/options.ts';
import { nextMicrotask } from './soon.ts';
import { isTransferred } from './task-results.ts';
import { TaskRunner } from './worker/task-runner.ts';

/** How a dispatcher runs tasks in this process. `max` is 1 by default. */
export interface InProcessOptions extends PoolOptions {
  /**
   * Whether inputs, results, reports and errors are cloned, and transferred buffers moved, as between threads: a test then meets
   * what production does. Default `false`: they are handed over as they are, so a task that changes its input changes the
   * caller's.
   */
  readonly clone?: boolean;
}

const ownRules = { clone: { ...aFlag, fallback: false } } satisfies Rules;

/**
 * Creates a dispatcher that runs tasks in this process: for tasks that wait more than they compute, and, with `clone`, as a
 * double in tests.
 *
 * @throws TypeError or RangeError for options; DispatchError `ERR_BAD_MODULE` for what `defineTasks` did not make
 * @example
 * const tasks = defineTasks({ double: (n: number) => 2 * n });
 * await using dispatcher = createInProcessDispatcher(tasks);
 * await dispatcher.run('double', 21); // 42
 */
export function createInProcessDispatcher<M extends TaskMap>(
  module: TaskModule<M>,
  options: InProcessOptions = {},
): Dispatcher<M> {
  const action = 'create dispatcher';
  const { pool, own } = splitPoolOptions(action, options, ownRules);
  const { clone } = resolveByRules<{ readonly clone: boolean }>(action, own, ownRules);
  const transport = createInProcessTransport(module as TaskModule<TaskMap>, { clone });
  return createDispatcher(transport, { ...pool, max: pool.max ?? 1 });
}

/**
 * Creates a transport whose workers run in this thread. Without `clone` values are handed over as they are. An endless task
 * cannot be ended, and a crash ends the process.
 * Tasks see the async context of this call, not their caller's.
 *
 * @throws DispatchError `ERR_BAD_MODULE` for a module that `defineTasks` has not made
 */
export function createInProcessTransport(
  module: TaskModule<TaskMap>,
  { clone }: { readonly clone: boolean } = { clone: false },
): Transport {
  checkTaskModule(module, 'create dispatcher: `module`');
  // A worker may start during some call.
  const Worker = clone ? CloningWorker : InProcessWorker;
  const scope = new AsyncResource('ticketing.dispatch');
  return {
    kind: 'in-process',
    capabilities: { isolation: 'none', hardKill: false, transfer: clone, streams: true },
    autoWindow: { first: WINDOW, max: WINDOW },
    spawn: (worker, events) => scope.runInAsyncScope(() => new Worker(module, worker, events)),
    async close() {
      scope.emitDestroy();
    },
  };
}

/** Large, since tasks here wait for something else; but a bound, above which calls wait and `maxQueue` holds. */
const WINDOW = 1024;

const nothingUnsent: readonly Unsent[] = [];

class InProcessWorker implements WorkerHandle {
  readonly pid: number = process.pid;
  readonly slot: number;
  readonly #events: WorkerEvents;
  #runner: TaskRunner | undefined;
  /** Frames that came before the worker was ready. */
  #early: ToWorker[] = [];
  #started = 0;
  /** Delivered together in a microtask, never while the kernel sends. */
  #unread: FromWorker[] = [];
  #ended = false;

  constructor(module: TaskModule<TaskMap>, worker: WorkerStart, events: WorkerEvents) {
    this.slot = worker.slot;
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

  /** Does nothing: tasks here keep the process alive or not by themselves. */
  hold(): void {}

  async #start(
    initial: TaskModule<TaskMap>,
    { workerId, slot, workerData, module: url }: WorkerStart,
  ): Promise<void> {
    try {
      const module = url === undefined ? initial : await loadTaskModule(url.href);
      const runner = new TaskRunner(module, {
        workerId,
        slot,
        workerData,
        emit: this.#emit,
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
      this.#emit({ kind: 'start-failed', error, final });
      this.#end(undefined);
    }
  }

  readonly #emit = (frame: FromWorker): void => {
    if (this.#ended) return;
    if (this.#unread.length === 0) nextMicrotask(this.#deliver);
    this.#unread.push(
      (frame.kind === 'done' || frame.kind === 'item') && isTransferred(frame.value)
        ? { ...frame, value: frame.value.value }
        : frame,
    );
  };

  readonly #deliver = (): void => {
    const frames = this.#unread;
    this.#unread = [];
    this.#events.frames(frames);
  };

  /** Reports the end, after the frames before it. */
  #end(failure: { readonly error: unknown } | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    nextMicrotask(() => {
      const cause = failure === undefined ? {} : { cause: failure.error };
      this.#events.exit({ exitCode: undefined, signal: undefined, stderrTail: '', ...cause });
    });
  }
}
