// This pool moves nothing.
export { burn, echo, echo as pass, heapBytes, threadCpuUs } from '@ticketing/dispatch/bench/work';
