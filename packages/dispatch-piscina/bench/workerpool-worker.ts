import { burn, echo, heapBytes, threadCpuUs } from '@ticketing/dispatch/bench/work';
import workerpool from 'workerpool';

workerpool.worker({
  burn,
  echo,
  heapBytes,
  threadCpuUs,
  pass: (buffer: ArrayBuffer) => new workerpool.Transfer(buffer, [buffer]),
});
