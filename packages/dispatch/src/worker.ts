// For programs of workers: serves tasks, without the kernel that calls them

export type { ForwardedRunOptions } from './contract/dispatcher.ts';
export type { RunFrame, ToWorker } from './contract/frames.ts';
export type { TaskContext, TaskFn, TaskMap, TaskModule } from './contract/task.ts';
export { defineTasks } from './define-tasks.ts';
export { json } from './json-task.ts';
export { type ServeProcessOptions, serveProcess } from './process/serve-process.ts';
export { rawJson, transferred } from './task-results.ts';
export { decodeToWorker, type Undecodable } from './wire/to-worker-codec.ts';
export { type Served, type ServeOptions, serveTasks } from './worker/serve-tasks.ts';
export { forwardCall, streamWindow } from './worker/task-run.ts';
