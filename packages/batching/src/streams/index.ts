// Share equal streams in flight: each reader gets every item from the first on

// For tests.
export { type Clock, systemClock } from '@ticketing/kit';
export { canonicalKey, type KeyValue } from '../canonical-key.ts';
export { BatchingError, type BatchingErrorCode, type BatchingErrorData } from '../errors.ts';
// To share streams.
export { createStreamCoalescer } from './create-stream-coalescer.ts';
export type {
  FollowOptions,
  OpenStream,
  StreamCoalescer,
  StreamCoalescerOptions,
  StreamCoalescerStats,
  StreamContext,
  StreamReader,
} from './stream-coalescer.ts';
