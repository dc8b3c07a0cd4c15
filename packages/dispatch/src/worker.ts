// For programs of workers: what serves tasks, without the kernel that calls them

export type { TaskMap, TaskModule } from './contract/task.ts';
export { defineTasks } from './define-tasks.ts';
export { anObject, checkByRules, type Rule, shown, wrongOption } from './option-rules.ts';
export { type ServeProcessOptions, serveProcess } from './process/serve-process.ts';
export { type Served, type ServeOptions, serveTasks } from './worker/serve-tasks.ts';
