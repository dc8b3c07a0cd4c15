// For authors of transports: the contract with the kernel, and the parts that transports share

export { inheritedExecArgv } from '@ticketing/kit';
export type { BroadcastOptions, Capabilities, Dispatcher } from './contract/dispatcher.ts';
export type { FromWorker, RecycleFrame, RunFrame, ToWorker } from './contract/frames.ts';
export type { PoolOptions } from './contract/pool-options.ts';
export type {
  BusyFrame,
  KeysOnlyFrame,
  LostFrame,
  ReportFrame,
  RoomFrame,
} from './contract/session-frames.ts';
export type { Movable, TaskMap, TaskSource, TasksOf } from './contract/task.ts';
export type {
  Transport,
  Unsent,
  WorkerEnd,
  WorkerEvents,
  WorkerHandle,
  WorkerStart,
} from './contract/transport.ts';
export { createDispatcher, createPool, type Pool } from './kernel/create-pool.ts';
export { resolvePoolOptions, splitPoolOptions } from './kernel/options.ts';
export type { ObservedWorker, PoolObserver } from './kernel/state/pool-events.ts';
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
