// A router that reads the head of a connection, hands the socket to a worker and leaves the data path

export type { BucketCounts } from '@ticketing/kit';
export type {
  AnswerRoute,
  Head,
  KeyRoute,
  ProxiedAddresses,
  RefuseRoute,
  Route,
  RouteFunction,
  SlotRoute,
} from './contract/head.ts';
export type { LeaveOptions } from './contract/leave-options.ts';
export type {
  RouterEvents,
  RouterStats,
  SocketRouter,
  WorkerStats,
} from './contract/socket-router.ts';
export type {
  CircuitOpenMessage,
  GoneMessage,
  HandedOver,
  InspectorOpenMessage,
  RefusedMessage,
  ReroutedMessage,
  SocketRouterMessages,
  WorkerStateMessage,
} from './contract/socket-router-messages.ts';
export type { WorkerHandle, WorkerHandleStats } from './contract/worker-handle.ts';
// For programs that start workers themselves, such as supervisors of processes:
export type { RouterWorker, WorkerChannel, WorkerSource } from './contract/worker-source.ts';
export { RouterError, type RouterErrorCode } from './errors.ts';
export type { AttachOptions } from './options/attach-options.ts';
export type { BalanceOptions, RouterLimits, RouterOptions } from './options/router-options.ts';
export { createSocketRouter } from './router/router.ts';
// For workers; `@ticketing/socket-router/worker` has these alone, without the router's code:
export { limitPipelined } from './server/limit-pipelined.ts';
export { type ForkOptions, forkWorkers, type RestartOptions } from './source/fork-workers.ts';
export { fromCluster } from './source/from-cluster.ts';
export { arrivedAt } from './worker/arrivals.ts';
export { attachServer } from './worker/attached-server.ts';
