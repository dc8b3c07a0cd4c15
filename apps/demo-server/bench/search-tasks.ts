// Tasks of a worker as the demo has them, and what they cost.
import { createSearch } from '@ticketing/core';
import { defineTasks, type TaskModule } from '@ticketing/dispatch';
import { searchTasks } from '../src/answers/in-workers.ts';
import { carrierTasks, createCarriers } from '../src/carriers/carriers.ts';
import type { WorkerTasks } from '../src/dispatch/start-dispatcher.ts';

export type MeasuredTasks = WorkerTasks & {
  /** Milliseconds of the worker's processor since its start. */
  processorMs(): number;
};

const carriers = createCarriers(JSON.parse(process.env['BENCH_SETTINGS'] ?? '{}'), Date.now);
const search = createSearch({
  carriers: Object.values(carriers.byName),
  http: carriers.http.clientOf,
});

const tasks: TaskModule<MeasuredTasks> = defineTasks<MeasuredTasks>(
  {
    ...carrierTasks(carriers),
    ...searchTasks(() => search),
    processorMs() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
  },
  { teardown: () => carriers.http.close() },
);

export default tasks;
