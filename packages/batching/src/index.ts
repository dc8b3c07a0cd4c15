// Coalesce equal calls in flight, batch different keys into one call, keep results for a while

// For tests.
export { type Clock, systemClock } from '@ticketing/kit';
export type {
  BatchCache,
  BatchContext,
  Batcher,
  BatcherOptions,
  BatcherStats,
  BatchResult,
  LoadOptions,
} from './batcher/batcher.ts';
export { createBatcher } from './batcher/create-batcher.ts';
// For subscribers of diagnostics channels.
export type {
  BatchingMessages,
  BatchMessage,
  BatchTrace,
  CoordinatorMessage,
  HitMessage,
  InCaller,
  JoinMessage,
  LoadMessage,
  LoadTrace,
  OverflowMessage,
  SharedJoinMessage,
  SharedLeadMessage,
  SharedTrace,
  StreamJoinMessage,
  StreamMessage,
  StreamOverflowMessage,
  StreamTrace,
} from './batching-messages.ts';
// For those who share work.
export { canonicalKey, type KeyValue } from './canonical-key.ts';
export { type Coalesced, type CoalesceOptions, coalesce } from './coalescer/coalesce.ts';
export type {
  Coalescer,
  CoalescerOptions,
  CoalescerStats,
  ForgetOptions,
  GetOptions,
  LoadContext,
  Peek,
} from './coalescer/coalescer.ts';
export { createCoalescer } from './coalescer/create-coalescer.ts';
export { BatchingError, type BatchingErrorCode, type BatchingErrorData } from './errors.ts';
