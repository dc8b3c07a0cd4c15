import { fork } from 'node:child_process';
import type { Dispatcher, TaskMap } from '@ticketing/dispatch';
import {
  createDispatcher,
  createOrphanGuard,
  inheritedExecArgv,
  OutputSink,
  startWorker,
  type Transport,
  type WorkerEvents,
  type WorkerHandle,
  type WorkerStart,
} from '@ticketing/dispatch/transport';
import { wrongOption } from '@ticketing/kit';
import {
  type ForkOptions,
  isUrl,
  type ResolvedForkOptions,
  resolveForkOptions,
} from './fork-options.ts';

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

/** Makes workers that are child processes, and load the tasks of a module. */
function createForkTransport(module: URL, options: ResolvedForkOptions): Transport {
  const { env, workerUrl } = options;
  const guard = options.orphanGuard ? createOrphanGuard() : undefined;
  const output = new OutputSink(options.output);
  const execArgv = [...inheritedExecArgv(process.execArgv), ...options.execArgv];
  return {
    kind: 'fork',
    capabilities: { isolation: 'process', hardKill: true, transfer: false },
    autoWindow: { first: 8, max: 64 },
    spawn,
    close: () => guard?.close() ?? Promise.resolve(),
  };

  function spawn(worker: WorkerStart, events: WorkerEvents): WorkerHandle {
    const { workerId } = worker;
    const args = [String(workerId), (worker.module ?? module).href];
    const given = { ...(env && { env }), execArgv, serialization: 'advanced' } as const;
    return startWorker(
      { launch: (stdio) => fork(workerUrl, args, { ...given, stdio }), guard, workerId, output },
      events,
    );
  }
}
