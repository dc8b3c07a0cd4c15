import { defineTasks, type TaskFn, type TaskModule } from '@ticketing/dispatch/worker';

const module: TaskModule<{ readonly echo: TaskFn<unknown, unknown> }> = defineTasks(
  { echo: (input) => input },
  { setup: () => new Promise(() => {}) },
);
export default module;
