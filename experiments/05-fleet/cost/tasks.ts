// What is run in this process, in child processes and on hosts of a fleet, to tell what each way costs.
import { defineTasks } from '@ticketing/dispatch';
import { recordsOf } from '@ticketing/dispatch/bench/payloads';
import { burn } from '@ticketing/dispatch/bench/work';

const records = recordsOf(10_000);

const tasks = {
  echo: (value: number) => value,
  /** 10 kB of results. */
  records: () => records,
  burn: (steps: number) => burn(steps),
};
export type CostTasks = typeof tasks;
export default defineTasks(tasks);
