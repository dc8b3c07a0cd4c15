// One contract and one kernel for running tasks in this process, in child processes or in threads

// For tests.
export { type BucketCounts, type Clock, systemClock } from '@ticketing/kit';
// For those who run tasks.
export type {
  BroadcastOptions,
  BroadcastOutcome,
  Capabilities,
  CapacityOptions,
  CloseOptions,
  Dispatcher,
  DispatcherKind,
  DispatcherState,
  DrainOptions,
  DrainReport,
  MapOptions,
  MapOutcome,
  ReloadOptions,
  RunOptions,
  StreamOptions,
} from './contract/dispatcher.ts';
export type { PoolOptions } from './contract/pool-options.ts';
export type { DispatcherStats, HistogramSummary, WorkerStats } from './contract/stats.ts';
export type {
  InputOf,
  ItemOf,
  Movable,
  OutputOf,
  StreamFn,
  StreamTask,
  TaskContext,
  TaskFn,
  TaskHooks,
  TaskMap,
  TaskModule,
  TaskSource,
  TasksOf,
  TaskWithoutInput,
  TaskWithResult,
} from './contract/task.ts';
export { defineTasks } from './define-tasks.ts';
export { DispatchError, type DispatchErrorCode, type DispatchErrorData } from './errors.ts';
export {
  createInProcessDispatcher,
  type InProcessOptions,
} from './in-process/create-in-process-dispatcher.ts';
// For those who write tasks.
export { json } from './json-task.ts';
export type { RawJson, Transferred } from './task-results.ts';
export { rawJson, transferred } from './task-results.ts';
// For those whose workers are elsewhere.
export {
  type FallbackDispatcher,
  type FallbackOptions,
  type FallbackStats,
  withFallback,
} from './wrappers/with-fallback.ts';
export {
  type HedgeDispatcher,
  type HedgeOptions,
  type HedgeStats,
  withHedge,
} from './wrappers/with-hedge.ts';
