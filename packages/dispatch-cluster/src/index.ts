// A supervisor that runs a whole server on every core, and a dispatcher over the same workers

export type { ClusterOptions } from './cluster-options.ts';
export { startCluster } from './cluster-supervisor.ts';
export type {
  ConnectionDroppedMessage,
  DispatchClusterMessages,
  WorkerReportMessage,
  WorkerWedgedMessage,
} from './dispatch-cluster-messages.ts';
export {
  type ClusterMetrics,
  type ClusterMetricsOptions,
  type ClusterMetricsStats,
  clusterMetrics,
} from './metrics/cluster-metrics.ts';
export type { MetricsAggregator, MetricsRegistry } from './metrics/metric.ts';
export { type PrimaryDispatcherOptions, primaryDispatcher } from './primary/primary-dispatcher.ts';
export type {
  ClusterEvents,
  ClusterStats,
  ServingWorker,
  SupervisedWorker,
  Supervisor,
} from './supervisor.ts';
export { clusterWorker } from './worker/cluster-worker.ts';
export type { ClusterWorker } from './worker/worker.ts';
export type { WorkerReport } from './worker/worker-messages.ts';
export type {
  Attachment,
  ClusterWorkerOptions,
  HttpServer,
  ServerApp,
} from './worker/worker-options.ts';
