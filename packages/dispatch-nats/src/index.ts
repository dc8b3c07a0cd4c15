// Tasks on other machines, over NATS, with the promises of every dispatcher

export type {
  NatsDispatcher,
  NatsDispatcherOptions,
  NatsFleetStats,
  NatsHost,
  NatsHostEvent,
  NatsHostState,
  NatsHostStats,
  NatsJsonStats,
  NatsLike,
  NatsLossSign,
  NatsMessage,
  NatsRefusal,
  NatsSessionStats,
  NatsWorkerReport,
  ServeNatsTasksOptions,
} from './contract.ts';
export { createNatsDispatcher } from './dispatcher/create-nats-dispatcher.ts';
export { serveNatsTasks } from './host/serve-nats-tasks.ts';
