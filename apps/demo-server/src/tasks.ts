// The task module of dispatched workers. Its settings are in the environment, because a worker gets only a URL.
import { watchEventLoop } from '@ticketing/admission';
import type { Search } from '@ticketing/core';
import { defineTasks, type TaskModule } from '@ticketing/dispatch';
import { searchTasks } from './answers/in-workers.ts';
import { type CarrierSettings, carrierTasks, createCarriers } from './carriers/carriers.ts';
import { composedSearch } from './carriers/composed-search.ts';
import type { WorkerTasks } from './dispatch/start-dispatcher.ts';
import type { TaskWorkerReport } from './figures/stats-document.ts';
import { createProcessStats } from './processes/process-stats.ts';
import { startTelemetry } from './telemetry/start-telemetry.ts';
import { type Telemetry, workersTelemetry } from './telemetry/telemetry.ts';

const settings: CarrierSettings = JSON.parse(process.env['DEMO_TASK_SETTINGS'] ?? '{}');
const carriers = createCarriers(settings, Date.now);
const processStats = createProcessStats(watchEventLoop().stats);
let telemetry: Telemetry;
let search: Search | undefined;

function ownSearch(): Search {
  search ??= composedSearch(carriers);
  return search;
}

const tasks: TaskModule<WorkerTasks> = defineTasks(
  { ...carrierTasks(carriers), ...searchTasks(ownSearch) },
  {
    report: (): TaskWorkerReport => ({
      http: carriers.http.stats(),
      guards: carriers.guards.stats(),
      process: processStats(),
      ...(search && { search: search.stats(), kept: carriers.kept.stats() }),
    }),
    async setup({ slot }) {
      telemetry = await startTelemetry(workersTelemetry(slot));
    },
    async teardown() {
      await search?.close();
      await carriers.close();
      await telemetry.close();
    },
  },
);

export default tasks;
