// Tasks on other machines, over NATS, with the promises of every dispatcher

export type {
  NatsDispatcher,
  NatsDispatcherOptions,
  NatsFleetStats,
  NatsHost,
  NatsHostEvent,
  NatsHostState,
  NatsHostStats,
  NatsLossSign,
  NatsRefusal,
  NatsSessionStats,
  NatsWorkerReport,
  ServeNatsTasksOptions,
} from './contract.ts';
export { createNatsDispatcher } from './dispatcher/create-nats-dispatcher.ts';
export { serveNatsTasks } from './host/serve-nats-tasks.ts';
export type {
  NatsJsonEndpoint,
  NatsJsonOptions,
  NatsJsonStats,
  ServeNatsJson,
} from './json/json-contract.ts';
export type { NatsLike, NatsMessage } from './nats-like.ts';
