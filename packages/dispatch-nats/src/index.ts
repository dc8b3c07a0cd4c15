// Tasks on other machines, over NATS, with the promises of every dispatcher

export type {
  NatsDispatcher,
  NatsDispatcherOptions,
  NatsFleetStats,
  NatsWorkerReport,
} from './contract/dispatcher.ts';
export type {
  NatsHost,
  NatsHostState,
  NatsHostStats,
  NatsSessionStats,
  ServeNatsTasksOptions,
} from './contract/host.ts';
export type {
  DispatchNatsMessages,
  NatsHostEvent,
  NatsLossSign,
  NatsRefusal,
} from './contract/host-event.ts';
export type {
  NatsJsonEndpoint,
  NatsJsonOptions,
  NatsJsonStats,
  ServeNatsJson,
} from './contract/json-endpoint.ts';
export type { NatsLike, NatsMessage } from './contract/nats-like.ts';
export { createNatsDispatcher } from './dispatcher/create-nats-dispatcher.ts';
export { serveNatsTasks } from './host/serve-nats-tasks.ts';
