import { AsyncResource } from 'node:async_hooks';
import { aFlag, type Rules, resolveByRules } from '@ticketing/kit';
import type { Dispatcher } from '../contract/dispatcher.ts';
import type { PoolOptions } from '../contract/pool-options.ts';
import type { TaskMap, TaskModule } from '../contract/task.ts';
import type { Transport } from '../contract/transport.ts';
import { checkTaskModule } from '../define-tasks.ts';
import { createDispatcher } from '../kernel/create-pool.ts';
import { splitPoolOptions } from '../kernel/options.ts';
import { startCloningWorker, startDirectWorker } from './in-process-worker.ts';

/** Options of a dispatcher that runs tasks in this process. `max` is 1 by default. */
export interface InProcessOptions extends PoolOptions {
  /**
   * True to clone inputs, results, reports and errors, and to move transferred buffers, as between threads: a test then meets
   * what production does. Default `false`: all are handed over as they are, so a task that changes its input changes the
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
  const start = clone ? startCloningWorker : startDirectWorker;
  const scope = new AsyncResource('ticketing.dispatch');
  return {
    kind: 'in-process',
    capabilities: { isolation: 'none', hardKill: false, transfer: clone, streams: true },
    autoWindow: { first: WINDOW, max: WINDOW },
    spawn: (worker, events) => scope.runInAsyncScope(() => start(module, worker, events)),
    async close() {
      scope.emitDestroy();
    },
  };
}

/** Large, because tasks here wait for something else; but a bound, above which calls wait and `maxQueue` holds. */
const WINDOW = 1024;
