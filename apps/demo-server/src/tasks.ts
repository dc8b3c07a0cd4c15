// The task module of dispatched workers. Its settings are in the environment, since a worker gets only a URL.
import { defineTasks, type TaskModule } from '@ticketing/dispatch';
import {
  type CarrierSettings,
  type CarrierTasks,
  carrierTasks,
  createCarriers,
} from './search/carriers.ts';
import { watchProcess } from './serving/process-watch.ts';
import type { TaskWorkerReport } from './serving/serving.ts';
import { startTelemetry } from './telemetry/start-telemetry.ts';
import { type Telemetry, workersTelemetry } from './telemetry/telemetry.ts';

const settings: CarrierSettings = JSON.parse(process.env['DEMO_TASK_SETTINGS'] ?? '{}');
const carriers = createCarriers(settings, Date.now);
const watch = watchProcess();
let telemetry: Telemetry;
const tasks: TaskModule<CarrierTasks> = defineTasks(carrierTasks(carriers), {
  report: (): TaskWorkerReport => ({ http: carriers.http.stats(), process: watch.stats() }),
  async setup({ slot }) {
    telemetry = await startTelemetry(workersTelemetry(slot));
  },
  async teardown() {
    await carriers.http.close();
    await telemetry.close();
  },
});

export default tasks;
