import type { TaskHooks, TaskMap, TaskModule } from '@ticketing/dispatch';
import { type Served, serveProcess } from '@ticketing/dispatch/worker';
import { isMessage } from '../is-message.ts';
import { type MetricsRequest, metricsRequest } from '../metrics/metrics-messages.ts';
import { serveAlone } from './serve-alone.ts';
import type { ClusterWorker } from './worker.ts';
import {
  hasRole,
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
  resolveStandalone,
} from './worker-options.ts';
import { WorkerServer } from './worker-server.ts';

const ACTION = 'serve as cluster worker';
const noTasks: TaskModule<TaskMap> = { tasks: {}, hooks: {} };

/**
 * Makes this process, which `startCluster` started, a worker that serves requests and tasks. Must be called once, at the
 * start of the program. When the primary ends the worker, the worker accepts no further connections, answers with
 * `Connection: close`, finishes the requests in flight, closes the server and exits. SIGINT, SIGTERM and SIGHUP, which reach all
 * processes of a terminal or of a service, are left to the primary; SIGTERM to one worker replaces it.
 *
 * @throws TypeError for options, in a process that `startCluster` did not start, unless `standalone` is set, and for a second call
 * @example
 * clusterWorker({ server: () => http.createServer(handle), listen: { port: 8080 } });
 */
export function clusterWorker(options: ClusterWorkerOptions): ClusterWorker {
  const start = takeWorkerStart(process.env);
  const isAlone = start === undefined && Boolean(Object(options).standalone);
  checkWorkerOptions(ACTION, options, start?.connections ?? (isAlone ? 'own' : 'external'));
  const alone = resolveStandalone(ACTION, options);
  if (start === undefined) {
    if (hasRole()) throw new TypeError(`Cannot ${ACTION}: \`clusterWorker\` was called before`);
    if (alone !== undefined) return serveAlone(options, alone);
    throw new TypeError(
      `Cannot ${ACTION}: \`startCluster\` has not started this process; run the program that calls it, or set \`standalone\` to true`,
    );
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
    isStandalone: false,
    close() {
      send?.(terminated, undefined, undefined, () => {});
      return server.stopped;
    },
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
