// One contract and one kernel for running tasks in this process, in child processes or in threads

// For tests.
export { type Clock, systemClock } from '@ticketing/kit';
// For those who run tasks.
export type {
  Capabilities,
  CloseOptions,
  Dispatcher,
  DispatcherKind,
  DispatcherState,
  DrainOptions,
  DrainReport,
  ReloadOptions,
} from './contract/dispatcher.ts';
export type {
  DispatcherStats,
  HistogramSummary,
  WorkerStats,
} from './contract/dispatcher-stats.ts';
export type { PoolOptions } from './contract/pool-options.ts';
export type { MapOptions, RunOptions } from './contract/run-options.ts';
export type {
  InputOf,
  OutputOf,
  TaskContext,
  TaskFn,
  TaskHooks,
  TaskMap,
  TaskModule,
} from './contract/task.ts';
export { defineTasks } from './define-tasks.ts';
export { DispatchError, type DispatchErrorCode, type DispatchErrorData } from './errors.ts';
export { createInProcessDispatcher } from './in-process/create-in-process-dispatcher.ts';
// For those who write tasks.
export type { RawJson } from './raw-json.ts';
export { rawJson } from './raw-json.ts';
export type { Transferred } from './transferred.ts';
export { transferred } from './transferred.ts';
