import type { TaskHooks, TaskMap, TaskModule } from '@ticketing/dispatch';
import { type Served, serveProcess } from '@ticketing/dispatch/worker';
import { isLeave, left } from '../leave.ts';
import { takeWorkerStart, type WorkerStartMessage } from '../worker-start.ts';
import {
  type ClusterWorkerOptions,
  checkWorkerOptions,
  type HttpServer,
  isUrl,
} from './worker-options.ts';
import { WorkerServer } from './worker-server.ts';

/** This process as a worker of a cluster. */
export interface ClusterWorker {
  /** Unique within the cluster, from 1. */
  readonly workerId: number;
  /** Whether it is about to end: for an answer that keeps load balancers from sending more. */
  isDraining(): boolean;
  /** The server, as soon as it is made: for whoever gives it sockets. Undefined without one. */
  readonly server: Promise<HttpServer | undefined>;
}

const ACTION = 'serve as cluster worker';
const noTasks: TaskModule<TaskMap> = { tasks: {}, hooks: {} };

/**
 * Makes this process, which `startCluster` started, a worker: serves requests once `server` listens, and tasks. To be
 * called once, as the program begins. The process ends when it is told to: it accepts no more, answers with
 * `Connection: close`, ends what is in flight, closes the server and exits. Ctrl-C leaves that to the primary; SIGTERM to a
 * worker alone asks for a successor first.
 *
 * @throws TypeError for options, in a process that `startCluster` has not started, and for a second call
 * @example
 * clusterWorker({ server: () => http.createServer(handle), listen: { port: 8080 } });
 */
export function clusterWorker(options: ClusterWorkerOptions): ClusterWorker {
  const start = takeWorkerStart(process.env);
  checkWorkerOptions(ACTION, options, start?.connections ?? 'external');
  if (start === undefined) {
    throw new TypeError(
      `Cannot ${ACTION}: the first call in a process that startCluster started expected, got another`,
    );
  }
  // As it is before a task can replace it.
  const send = process.send?.bind(process);
  const server = new WorkerServer(options, start, {
    report: (data) => served.tell({ kind: 'report', data, worked: data.requests > 0 }),
    recycle: () => served.tell({ kind: 'recycle' }),
  });
  const served: Served = serveProcess({
    workerId: start.workerId,
    module: moduleOf(options, start),
    around: (hooks) => withServer(hooks, server),
  });
  process.on('message', async (message) => {
    if (!isLeave(message)) return;
    await server.stop();
    send?.(left, undefined, undefined, () => {});
  });
  process.on('SIGTERM', () => served.tell({ kind: 'recycle' }));
  return {
    workerId: start.workerId,
    isDraining: () => server.isDraining,
    server: server.made,
  };
}

function moduleOf(
  { tasks = noTasks }: ClusterWorkerOptions,
  { module }: WorkerStartMessage,
): string | TaskModule<TaskMap> {
  return module ?? (isUrl(tasks) ? tasks.href : tasks);
}

/** Tasks are there before requests can use them, and until after the last one. */
function withServer(hooks: TaskHooks, server: WorkerServer): TaskHooks {
  return {
    ...hooks,
    async setup(worker) {
      await hooks.setup?.(worker);
      await server.start();
    },
    async teardown() {
      await server.stop();
      await hooks.teardown?.();
    },
  };
}
