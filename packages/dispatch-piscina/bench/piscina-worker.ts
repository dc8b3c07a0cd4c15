import { move } from 'piscina';

export { burn, echo, heapBytes, threadCpuUs } from '@ticketing/dispatch/bench/work';

export function pass(buffer: ArrayBuffer): unknown {
  return move(buffer);
}
