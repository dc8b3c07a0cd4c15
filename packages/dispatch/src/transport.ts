// For authors of transports: what the kernel asks of one, and the parts that transports share

export type { Capabilities, Dispatcher } from './contract/dispatcher.ts';
export type { FromWorker, RunFrame, ToWorker } from './contract/frames.ts';
export type { PoolOptions } from './contract/pool-options.ts';
export type { TaskMap } from './contract/task.ts';
export type {
  Transport,
  Unsent,
  WorkerEnd,
  WorkerEvents,
  WorkerHandle,
  WorkerStart,
} from './contract/transport.ts';
export { createDispatcher } from './kernel/create-dispatcher.ts';
export { splitPoolOptions } from './kernel/resolve-pool-options.ts';
export {
  aFlag,
  checkByRules,
  type Rule,
  type Rules,
  resolveByRules,
  unknownOption,
  wrongOption,
} from './option-rules.ts';
export { decodeFromWorker } from './wire/from-worker-codec.ts';
export { encodeToWorker, postToWorker } from './wire/to-worker-codec.ts';
export { type Served, type ServeOptions, serveTasks } from './worker/serve-tasks.ts';
