import type { TaskHooks, TaskMap, TaskModule } from '@ticketing/dispatch';
import { type Served, serveProcess } from '@ticketing/dispatch/worker';
import { isMessage } from '../is-message.ts';
import { type MetricsRequest, metricsRequest } from '../metrics/metrics-messages.ts';
import type { ClusterWorker } from './worker.ts';
import {
  type LeaveMessage,
  leave,
  left,
  terminated,
  type WorkerStartMessage,
} from './worker-messages.ts';
import { WorkerMetrics } from './worker-metrics.ts';
import type { ClusterWorkerOptions } from './worker-options.ts';
import { WorkerServer } from './worker-server.ts';

const noTasks: TaskModule<TaskMap> = { tasks: {}, hooks: {} };

/** A worker that has started, and its server. */
interface StartedWorker {
  readonly worker: ClusterWorker;
  readonly server: WorkerServer;
}

/** Starts the worker that `startCluster` has made of this process, with checked options. */
export function startWorker(options: ClusterWorkerOptions, start: WorkerStartMessage): StartedWorker {
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
  const worker: ClusterWorker = {
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
  return { worker, server };
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
