// Loads and kept results that several processes share through a coordinator

export type {
  Claim,
  ClaimOptions,
  Coordinator,
  CoordinatorStats,
  Fence,
  ForgottenAnswer,
  Lease,
  LoadOutcome,
  ValueTags,
} from './coordinator.ts';
// For authors of coordinators.
export { type CoordinatorOptions, createCoordinator } from './create-coordinator.ts';
export {
  fenceText,
  type LeaseStore,
  type Listening,
  RECORD_BEYOND_AT,
  RECORD_FENCE_AT,
  RECORD_FENCE_LENGTH,
  RECORD_HEAD_LENGTH,
  type StoreClaim,
  type StoredLease,
  type StoreReply,
} from './lease-store.ts';
// For tests.
export { createMemoryCoordinator, createMemoryStore } from './memory-store.ts';
export { type SharedLoader, type SharedLoadsStats, shareLoads } from './share-loads.ts';
export type { ShareLoadsOptions } from './share-loads-options.ts';
export { type SharedCodec, structuredCodec } from './shared-codec.ts';
