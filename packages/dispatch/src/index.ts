// One contract and one kernel for running tasks in this process, in child processes or in threads

// For tests.
export { type BucketCounts, type Clock, systemClock } from '@ticketing/kit';
// For callers of tasks.
export type {
  CircuitOpenMessage,
  DispatchMessages,
  InspectorOpenMessage,
  OverloadedMessage,
  RetryMessage,
  RunMessage,
  TaskMessage,
  WorkerExitMessage,
  WorkerReadyMessage,
} from './contract/dispatch-messages.ts';
export type {
  BroadcastOptions,
  BroadcastOutcome,
  Capabilities,
  CapacityOptions,
  CloseOptions,
  Dispatcher,
  DrainOptions,
  DrainReport,
  MapOptions,
  MapOutcome,
  ReloadOptions,
  RunOptions,
  StreamOptions,
} from './contract/dispatcher.ts';
export type { PoolOptions } from './contract/pool-options.ts';
export type {
  DispatcherKind,
  DispatcherState,
  DispatcherStats,
  HistogramSummary,
  WorkerStats,
} from './contract/stats.ts';
export type {
  InputOf,
  ItemOf,
  Movable,
  OutputOf,
  ProgressOf,
  RawJson,
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
  Transferred,
} from './contract/task.ts';
export { defineTasks } from './define-tasks.ts';
export { DispatchError, type DispatchErrorCode, type DispatchErrorData } from './errors.ts';
export {
  createInProcessDispatcher,
  type InProcessOptions,
} from './in-process/create-in-process-dispatcher.ts';
// For authors of tasks.
export { json } from './json-task.ts';
export { checkCloseOptions, checkDrainOptions } from './kernel/checks.ts';
export { closed as closedError, timedOut as timeoutError } from './kernel/errors.ts';
export { type MapSource, mapByRun } from './map-by-run.ts';
export { rawJson, transferred } from './task-results.ts';
