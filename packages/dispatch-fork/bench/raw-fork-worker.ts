import * as work from '@ticketing/dispatch/bench/work';

const tasks: Record<string, (input: never) => unknown> = { ...work };
process.on('message', ([id, task, input]: [number, string, never]) => {
  process.send?.([id, tasks[task]?.(input)]);
});
