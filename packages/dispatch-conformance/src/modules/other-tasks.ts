import { defineTasks, type TaskFn, type TaskModule } from '@ticketing/dispatch/worker';

const module: TaskModule<{ readonly echo: TaskFn<unknown, unknown> }> = defineTasks({
  echo: () => 'from other tasks',
});
export default module;
