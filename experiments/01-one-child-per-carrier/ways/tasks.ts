// The tasks that all ways of this experiment run: the same code, so that only the way differs.
import { defineTasks } from '@ticketing/dispatch';
import { lightTasks } from './light-tasks.ts';
import { closeCarriers, search } from './search-task.ts';

const tasks = { ...lightTasks, search };
export type Tasks = typeof tasks;
export default defineTasks(tasks, { teardown: closeCarriers });
