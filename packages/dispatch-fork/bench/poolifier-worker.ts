import { burn, echo, residentBytes, threadCpuUs } from '@ticketing/dispatch/bench/work';
import { ClusterWorker } from 'poolifier';

export default new ClusterWorker<unknown, unknown>({
  burn: (steps) => burn(steps as number),
  echo: (value) => echo(value),
  residentBytes: () => residentBytes(),
  threadCpuUs: () => threadCpuUs(),
});
