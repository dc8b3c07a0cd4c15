import { parentPort } from 'node:worker_threads';
import * as work from '@ticketing/dispatch/bench/work';

const tasks: Record<string, (input: never) => unknown> = { ...work, pass: work.echo };
parentPort?.on('message', ([id, task, input]: [number, string, never]) => {
  parentPort?.postMessage([id, tasks[task]?.(input)], task === 'pass' ? [input] : []);
});
