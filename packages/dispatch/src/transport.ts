// For authors of transports: what the kernel asks of one, and the parts that transports share

export { inheritedExecArgv } from '@ticketing/kit';
export type { BroadcastOptions, Capabilities, Dispatcher } from './contract/dispatcher.ts';
export type { PoolOptions } from './contract/pool-options.ts';
export type { Movable, TaskMap, TaskSource, TasksOf } from './contract/task.ts';
export type {
  BusyFrame,
  FromWorker,
  KeysOnlyFrame,
  LostFrame,
  RecycleFrame,
  ReportFrame,
  RoomFrame,
  RunFrame,
  ToWorker,
  Transport,
  Unsent,
  WorkerEnd,
  WorkerEvents,
  WorkerHandle,
  WorkerStart,
} from './contract/transport.ts';
export { createDispatcher, createPool, type Pool } from './kernel/create-pool.ts';
export { resolvePoolOptions, splitPoolOptions } from './kernel/resolve-pool-options.ts';
export type { ObservedWorker, PoolObserver } from './kernel/workers/pool-events.ts';
export { slotVariable } from './process/channel-messages.ts';
export { createOrphanGuard, type OrphanGuard } from './process/orphan-guard.ts';
export {
  OutputSink,
  type OutputSource,
  outputRule,
  type WorkerOutput,
} from './process/worker-output.ts';
export type { WorkerProcessStart } from './process/worker-process.ts';
export { processWindow, startWorker } from './process/worker-process.ts';
export { decodeFromWorker } from './wire/from-worker-codec.ts';
export { encodeToWorker, postToWorker } from './wire/to-worker-codec.ts';
export type { WireMessage } from './wire/wire-message.ts';
