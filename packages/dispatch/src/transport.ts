// For authors of transports: what the kernel asks of one, and the parts that transports share

export type { Capabilities, Dispatcher } from './contract/dispatcher.ts';
export type {
  FromWorker,
  RecycleFrame,
  ReportFrame,
  RunFrame,
  ToWorker,
} from './contract/frames.ts';
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
export { type BroadcastOptions, createPool, type Pool } from './kernel/create-pool.ts';
export type { ObservedWorker, PoolObserver } from './kernel/pool-events.ts';
export { resolvePoolOptions, splitPoolOptions } from './kernel/resolve-pool-options.ts';
export {
  aFlag,
  aName,
  anObject,
  atLeast,
  between,
  checkByRules,
  MAX_TIMER_MS,
  type Rule,
  type Rules,
  resolveByRules,
  shown,
  unknownOption,
  whole,
  wholeBetween,
  withMethods,
  wordOr,
  wrongOption,
} from './option-rules.ts';
export { inheritedExecArgv } from './process/inherited-exec-argv.ts';
export { createOrphanGuard, type OrphanGuard } from './process/orphan-guard.ts';
export { startWorker } from './process/start-worker.ts';
export {
  OutputSink,
  type OutputSource,
  outputRule,
  type WorkerOutput,
} from './process/worker-output.ts';
export type { WorkerProcessStart } from './process/worker-process.ts';
export { decodeFromWorker } from './wire/from-worker-codec.ts';
export { encodeToWorker, postToWorker } from './wire/to-worker-codec.ts';
