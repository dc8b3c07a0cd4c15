// Coalesce equal calls in flight, and keep their results for a while: what needs no batcher

// For tests.
export { type Clock, systemClock } from '@ticketing/kit';
export { canonicalKey, type KeyValue } from '../canonical-key.ts';
export { BatchingError, type BatchingErrorCode, type BatchingErrorData } from '../errors.ts';
// To share work.
export { type Coalesced, type CoalesceOptions, coalesce } from './coalesce.ts';
export type {
  Coalescer,
  CoalescerOptions,
  CoalescerStats,
  ForgetOptions,
  GetOptions,
  LoadContext,
  Peek,
} from './coalescer.ts';
export { createCoalescer } from './create-coalescer.ts';
