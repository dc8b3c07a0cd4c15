import type { TaskHooks, TaskMap, TaskModule } from '@ticketing/dispatch';
import { type Served, serveProcess } from '@ticketing/dispatch/worker';
import { isMessage } from '../is-message.ts';
import { type MetricsRequest, metricsRequest } from '../metrics/metrics-messages.ts';
import {
  hasTakenStart,
  type LeaveMessage,
  leave,
  left,
  takeWorkerStart,
  terminated,
  type WorkerStartMessage,
} from './worker-messages.ts';
import { WorkerMetrics } from './worker-metrics.ts';
import {
  type ClusterWorkerOptions,
  checkWorkerOptions,
  type HttpServer,
} from './worker-options.ts';
import { WorkerServer } from './worker-server.ts';

/** This process, in its role as a worker of a cluster. */
export interface ClusterWorker {
  /** Number from 1, unique within the cluster. */
  readonly workerId: number;
  /** Slot of the worker, from 0 and below the number of workers. Its successor after a reload or a crash takes it over. */
  readonly slot: number;
  /** Returns true while the worker ends, for a health check by which load balancers stop sending requests. */
  isDraining(): boolean;
  /** Resolves with the server when it is made, for code that hands sockets to it; with `undefined` without one. */
  readonly server: Promise<HttpServer | undefined>;
}

const ACTION = 'serve as cluster worker';
const noTasks: TaskModule<TaskMap> = { tasks: {}, hooks: {} };

/**
 * Makes this process, which `startCluster` started, a worker that serves requests and tasks. Must be called once, at the
 * start of the program. When the primary ends the worker, the worker accepts no further connections, answers with
 * `Connection: close`, finishes the requests in flight, closes the server and exits. SIGINT, SIGTERM and SIGHUP, which reach all
 * processes of a terminal or of a service, are left to the primary; SIGTERM to one worker replaces it.
 *
 * @throws TypeError for options, in a process that `startCluster` did not start, and for a second call
 * @example
 * clusterWorker({ server: () => http.createServer(handle), listen: { port: 8080 } });
 */
export function clusterWorker(options: ClusterWorkerOptions): ClusterWorker {
  const start = takeWorkerStart(process.env);
  checkWorkerOptions(ACTION, options, start?.connections ?? 'external');
  if (start === undefined) {
    const why = hasTakenStart()
      ? '`clusterWorker` was called before'
      : '`startCluster` has not started this process; run the program that calls it';
    throw new TypeError(`Cannot ${ACTION}: ${why}`);
  }
  // Bound before a task can replace it.
  const send = process.send?.bind(process);
  const metrics = new WorkerMetrics(
    options.metrics,
    (message) =>
      new Promise((resolve) => {
        if (send === undefined) resolve();
        else send(message, undefined, undefined, () => resolve());
      }),
  );
  const server = new WorkerServer(options, start, {
    report: (data) => served.tell({ kind: 'report', data, worked: data.requests > 0 }),
    recycle: () => served.tell({ kind: 'recycle' }),
  });
  const served: Served = serveProcess({
    workerId: start.workerId,
    slot: start.slot,
    hasWorkerData: start.hasWorkerData,
    module: moduleOf(options, start),
    around: (hooks) => withServer(hooks, server, metrics),
  });
  process.on('message', async (message) => {
    if (isMessage(message, metricsRequest)) await metrics.answer(message as MetricsRequest);
    if (!isMessage(message, leave)) return;
    await server.stop((message as LeaveMessage).graceMs);
    send?.(left, undefined, undefined, () => {});
  });
  // The worker itself ignores signals: the primary replaces a worker that alone got SIGTERM, and after a signal to all processes
  // closes or reloads the cluster. A router does both for the workers that are attached to it.
  if (options.attach === undefined) {
    process.on('SIGTERM', () => send?.(terminated, undefined, undefined, () => {}));
  }
  return {
    workerId: start.workerId,
    slot: start.slot,
    isDraining: () => server.isDraining,
    server: server.made,
  };
}

function moduleOf(
  { tasks = noTasks }: ClusterWorkerOptions,
  { module }: WorkerStartMessage,
): string | TaskModule<TaskMap> {
  return module ?? ('href' in tasks ? tasks.href : tasks);
}

/** Returns hooks that set tasks up before the server starts, and tear them down after it has stopped, because requests may use them. */
function withServer(hooks: TaskHooks, server: WorkerServer, metrics: WorkerMetrics): TaskHooks {
  return {
    ...hooks,
    async setup(worker) {
      await hooks.setup?.(worker);
      await server.start();
    },
    async teardown() {
      await server.stop();
      await hooks.teardown?.();
      await metrics.sendLast();
    },
  };
}
