import { burn, echo, heapBytes, threadCpuUs } from '@ticketing/dispatch/bench/work';
import { ThreadWorker } from 'poolifier';

export default new ThreadWorker<unknown, unknown>({
  burn: (steps) => burn(steps as number),
  echo: (value) => echo(value),
  heapBytes: () => heapBytes(),
  threadCpuUs: () => threadCpuUs(),
  // Inputs are moved, and results copied.
  pass: (buffer) => buffer,
});
