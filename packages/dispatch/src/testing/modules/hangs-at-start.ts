import type { TaskFn, TaskModule } from '../../contract/task.ts';
import { defineTasks } from '../../define-tasks.ts';

const module: TaskModule<{ readonly echo: TaskFn<unknown, unknown> }> = defineTasks(
  { echo: (input) => input },
  { setup: () => new Promise(() => {}) },
);
export default module;
