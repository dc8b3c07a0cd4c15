// What every way of this experiment runs, wherever it runs it: the same code, so that only the way differs.
import { defineTasks } from '@ticketing/dispatch';
import { lightTasks } from './light-tasks.ts';
import { closeCarriers, search } from './search-task.ts';

const tasks = { ...lightTasks, search };
export type Tasks = typeof tasks;
export default defineTasks(tasks, { teardown: closeCarriers });
