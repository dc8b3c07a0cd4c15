// Module that the workers of the growth subjects load.
import { defineTasks } from '@ticketing/dispatch';

const tasks = {
  echo: (value: unknown) => value,
};
export type GrowthTasks = typeof tasks;
export default defineTasks(tasks);
