import { burn, echo, heapBytes, threadCpuUs } from '@ticketing/dispatch/bench/work';
import { ThreadWorker } from 'poolifier';

export default new ThreadWorker<unknown, unknown>({
  burn: (steps) => burn(steps as number),
  echo: (value) => echo(value),
  heapBytes: () => heapBytes(),
  threadCpuUs: () => threadCpuUs(),
  // It moves what it is given, and copies what it gives back.
  pass: (buffer) => buffer,
});
