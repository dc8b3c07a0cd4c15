import { type BatchingStats, batchingFamilies } from './families/batching-families.ts';
import { type CoreStats, coreFamilies } from './families/core-families.ts';
import { type DispatchStats, dispatchFamilies } from './families/dispatch-families.ts';
import { type ResilienceStats, resilienceFamilies } from './families/resilience-families.ts';
import { type ServerStats, serverFamilies } from './families/server-families.ts';
import type { Family } from './family.ts';

/** Statistics of libraries by kind. Every member is optional: what a program does not use has no series. */
export interface LibraryStats
  extends CoreStats,
    ResilienceStats,
    BatchingStats,
    DispatchStats,
    ServerStats {}

/**
 * Families of every library, for `writeFamilies` and `registerFamilies`.
 *
 * @example
 * const source = { dispatchers: [dispatcher.stats()], coalescers: [documents.stats()] };
 * const { contentType, text } = writeFamilies(libraryFamilies, { source });
 */
export const libraryFamilies: readonly Family<LibraryStats>[] = [
  ...coreFamilies,
  ...resilienceFamilies,
  ...batchingFamilies,
  ...dispatchFamilies.map(withClusters),
  ...serverFamilies,
];

/** Reads the pools of clusters as dispatchers. */
function withClusters(family: Family<DispatchStats>): Family<LibraryStats> {
  const reading = ({ dispatchers = [], clusters = [], fleets }: LibraryStats): DispatchStats => ({
    dispatchers: [...dispatchers, ...clusters.map(({ dispatcher }) => dispatcher)],
    ...(fleets && { fleets }),
  });
  if (family.type === 'histogram') {
    return { ...family, distributions: (source) => family.distributions(reading(source)) };
  }
  return { ...family, points: (source) => family.points(reading(source)) };
}
