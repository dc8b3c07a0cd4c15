import type { Dispatcher } from '../contract/dispatcher.ts';
import type { PoolOptions } from '../contract/pool-options.ts';
import type { TaskMap } from '../contract/task.ts';
import type { Transport } from '../contract/transport.ts';
import { createPool } from './create-pool.ts';

/**
 * Makes a dispatcher over a transport. Starts `min` workers; from then on `close()` is owed.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function createDispatcher<M extends TaskMap>(
  transport: Transport,
  options: PoolOptions = {},
): Dispatcher<M> {
  return createPool<M>(transport, options).dispatcher;
}
