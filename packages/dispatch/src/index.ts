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
export {
  createInProcessDispatcher,
  type InProcessOptions,
} from './create-in-process-dispatcher.ts';
export { defineTasks } from './define-tasks.ts';
export { DispatchError, type DispatchErrorCode, type DispatchErrorData } from './errors.ts';
// For those who write tasks.
export { json } from './json-task.ts';
// For authors of dispatchers around others.
export { closed as closedError, timedOut as timeoutError } from './kernel/calls/call-errors.ts';
export { checkCloseOptions, checkDrainOptions } from './kernel/calls/check-run-options.ts';
export { type MapSource, mapByRun } from './map-by-run.ts';
export type { RawJson, Transferred } from './task-results.ts';
export { rawJson, transferred } from './task-results.ts';
