import { burn, echo, heapBytes } from '@ticketing/dispatch/bench/work';
import workerpool from 'workerpool';

workerpool.worker({
  burn,
  echo,
  heapBytes,
  pass: (buffer: ArrayBuffer) => new workerpool.Transfer(buffer, [buffer]),
});
