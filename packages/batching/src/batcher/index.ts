// Batch different keys into one call: what needs no coalescer

// For tests.
export { type Clock, systemClock } from '@ticketing/kit';
export type { KeyValue } from '../canonical-key.ts';
export { BatchingError, type BatchingErrorCode, type BatchingErrorData } from '../errors.ts';
// To share work.
export type {
  BatchCache,
  BatchContext,
  Batcher,
  BatcherOptions,
  BatcherStats,
  BatchResult,
  LoadOptions,
} from './batcher.ts';
export { createBatcher } from './create-batcher.ts';
