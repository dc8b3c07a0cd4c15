import type { Dispatcher, TaskMap } from '@ticketing/dispatch';
import { createDispatcher, wrongOption } from '@ticketing/dispatch/transport';
import { type ForkOptions, isUrl, resolveForkOptions } from './fork-options.ts';
import { createForkTransport } from './fork-transport.ts';

/**
 * Creates a dispatcher whose workers are child processes that load `module`, whose default export `defineTasks` made.
 * A crash, a leak or a loop without end harms that worker's tasks alone. Close it: it holds processes. While it has
 * nothing to do it does not keep this process alive.
 *
 * @throws TypeError or RangeError for a module that is no URL, and for options that are unknown or out of range
 * @example
 * const dispatcher = createForkDispatcher<Tasks>(new URL('./tasks.js', import.meta.url), { max: 2 });
 * const answer = await dispatcher.run('search', { from: 'A', to: 'B' }, { timeoutMs: 1000 });
 */
export function createForkDispatcher<M extends TaskMap>(
  module: URL,
  options: ForkOptions = {},
): Dispatcher<M> {
  const action = 'create dispatcher';
  if (!isUrl(module)) throw wrongOption(action, 'module', { expected: 'a URL' }, module);
  const { pool, fork } = resolveForkOptions(action, options);
  return createDispatcher<M>(createForkTransport(module, fork), pool);
}
