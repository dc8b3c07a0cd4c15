import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { defineTasks, type TaskModule } from '@ticketing/dispatch/worker';
import { type ConformanceTasks, type StartPlan, setupDataKey } from '../conformance-task-map.ts';
import conformanceTasks from './conformance-tasks.ts';

/** Returns the usual tasks, for workers that start as planned and log it. */
export function startAsPlanned(plan: StartPlan): TaskModule<ConformanceTasks> {
  const { log, failures = 0, gate, hangs = false, replacesExit = false } = plan;
  if (replacesExit) {
    process.exit = ((code) => appendFileSync(log, `exit ${code}\n`)) as typeof process.exit;
  }
  return defineTasks(conformanceTasks.tasks, {
    setup({ workerId, slot, workerData }) {
      // Only with data: in one process, workers of a fallback, which have none, start beside others.
      const shared = globalThis as { [setupDataKey]?: unknown };
      if (workerData !== undefined) shared[setupDataKey] = workerData;
      appendFileSync(log, `setup ${workerId} ${slot}\n`);
      const attempts = readFileSync(log, 'utf8').match(/^setup/gm)?.length ?? 0;
      if (attempts <= failures) throw new Error(`start ${attempts} fails`);
      if (gate !== undefined && !existsSync(gate)) throw new Error('the gate is shut');
    },
    teardown() {
      appendFileSync(log, 'teardown\n');
      return hangs ? new Promise<void>(() => {}) : undefined;
    },
  });
}
