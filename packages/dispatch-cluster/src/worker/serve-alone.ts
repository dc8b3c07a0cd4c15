import type { TaskMap, TaskModule } from '@ticketing/dispatch';
import type { ResolvedShutdown } from '../shutdown-options.ts';
import type { ClusterWorker } from './worker.ts';
import { noteRole } from './worker-messages.ts';
import type { ClusterWorkerOptions, HttpServer } from './worker-options.ts';
import { WorkerServer } from './worker-server.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Tasks that were set up in this process, whose hooks the server needs. */
interface Tasks {
  close(): Promise<void>;
}

/**
 * Serves in a process without a primary: sets tasks up, listens, and ends by a signal or `close()` as a worker does. Without a
 * handler of its `server` promise, a server that cannot listen ends the process, as any rejection does.
 */
export function serveAlone(
  options: ClusterWorkerOptions,
  { lameDuckMs, graceMs }: ResolvedShutdown,
): ClusterWorker {
  noteRole('standalone');
  // As in every worker: `slotVariable` of the primary, which loads far more.
  process.env['TICKETING_WORKER_SLOT'] = '0';
  const start = {
    workerId: 1,
    slot: 0,
    module: undefined,
    hasWorkerData: false,
    connections: 'own' as const,
    lameDuckMs,
    graceMs,
    maxRequests: undefined,
  };
  const server = new WorkerServer(options, start, { report: () => {}, recycle: () => {} });
  const setUp = setUpTasks(options.tasks);
  const listening = (async (): Promise<HttpServer | undefined> => {
    await setUp;
    await server.start();
    return server.made;
  })();
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    // A start that has failed has been reported.
    await listening.catch(() => {});
    await server.stop();
    const tasks = await setUp.catch(() => undefined);
    await tasks?.close();
    for (const signal of SIGNALS) process.off(signal, onSignal);
    noteRole(undefined);
  };
  const onSignal = (): void => {
    // The start may last longer.
    setTimeout(() => process.exit(), graceMs);
    closing ??= close();
    void closing.then(() => process.exit());
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    workerId: 1,
    slot: 0,
    isDraining: () => server.isDraining,
    server: listening,
    isStandalone: true,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Runs `setup` of the tasks in this process; `close()` runs their `teardown`. @throws the error of `setup` */
async function setUpTasks(option: ClusterWorkerOptions['tasks']): Promise<Tasks | undefined> {
  if (option === undefined) return undefined;
  const module: TaskModule<TaskMap> =
    'href' in option ? (await import(option.href)).default : option;
  const { createInProcessDispatcher } = await import('@ticketing/dispatch');
  const name = 'standalone';
  const dispatcher = createInProcessDispatcher(module, {
    name,
    min: 1,
    restart: { maxFailures: 0 },
  });
  await dispatcher.ready();
  return dispatcher;
}
