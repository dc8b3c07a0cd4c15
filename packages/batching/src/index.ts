// Coalesce equal calls in flight, batch different keys into one call, keep results for a while

// For those who share work.
export type {
  BatchCache,
  BatchContext,
  Batcher,
  BatcherOptions,
  BatcherStats,
  BatchResult,
  LoadOptions,
} from './batcher.ts';
export { canonicalKey } from './canonical-key.ts';
// For tests.
export { type Clock, systemClock } from './clock.ts';
export { type Coalesced, type CoalesceOptions, coalesce } from './coalesce.ts';
export type {
  Coalescer,
  CoalescerOptions,
  CoalescerStats,
  GetOptions,
  KeyValue,
  LoadContext,
  Peek,
} from './coalescer.ts';
export { createBatcher } from './create-batcher.ts';
export { createCoalescer } from './create-coalescer.ts';
export { BatchingError, type BatchingErrorCode, type BatchingErrorData } from './errors.ts';
