// It moves nothing.
export { burn, echo, echo as pass, heapBytes } from '@ticketing/dispatch/bench/work';
