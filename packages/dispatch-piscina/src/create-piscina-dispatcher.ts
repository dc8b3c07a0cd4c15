import type { Dispatcher, TaskMap } from '@ticketing/dispatch';
import { createDispatcher, wrongOption } from '@ticketing/dispatch/transport';
import { isUrl, type PiscinaOptions, resolvePiscinaOptions } from './piscina-options.ts';
import { createPiscinaTransport } from './piscina-transport.ts';

/**
 * Creates a dispatcher whose workers are threads of piscina that load `module`, whose default export `defineTasks` made.
 * Buffers can be moved to them and back. What a task throws, a loop without end, a full heap and `process.exit` harm that
 * worker's tasks alone; what ends the process, as a fault in native code, ends all. Close it: it holds threads. While it
 * has nothing to do it does not keep this process alive.
 *
 * @throws TypeError or RangeError for a module that is no URL, and for options that are unknown or out of range
 * @example
 * const dispatcher = createPiscinaDispatcher<Tasks>(new URL('./tasks.js', import.meta.url), { max: 2 });
 * const image = await dispatcher.run('shrink', { bytes }, { transfer: [bytes.buffer] });
 */
export function createPiscinaDispatcher<M extends TaskMap>(
  module: URL,
  options: PiscinaOptions = {},
): Dispatcher<M> {
  const action = 'create dispatcher';
  if (!isUrl(module)) throw wrongOption(action, 'module', { expected: 'a URL' }, module);
  const { pool, piscina } = resolvePiscinaOptions(action, options);
  return createDispatcher<M>(createPiscinaTransport(module, piscina), pool);
}
