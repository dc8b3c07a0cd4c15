import type { Dispatcher } from '../contract/dispatcher.ts';
import type { PoolOptions } from '../contract/pool-options.ts';
import type { TaskMap, TaskModule } from '../contract/task.ts';
import { checkTaskModule } from '../define-tasks.ts';
import { createDispatcher } from '../kernel/create-pool.ts';
import { createInProcessTransport } from './in-process-transport.ts';

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
