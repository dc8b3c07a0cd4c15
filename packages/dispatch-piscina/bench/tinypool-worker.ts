import { Tinypool } from 'tinypool';

export { burn, echo, heapBytes, threadCpuUs } from '@ticketing/dispatch/bench/work';

export function pass(buffer: ArrayBuffer): unknown {
  return Tinypool.move(buffer);
}
