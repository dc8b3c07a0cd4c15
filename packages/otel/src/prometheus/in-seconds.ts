import type { BucketCounts } from '@ticketing/kit';
import type { Buckets } from './family.ts';

const MS_PER_S = 1000;

/** Returns counts of durations, as `stats()` of the libraries has them in milliseconds, as buckets in seconds. */
export function bucketsInSeconds({ leMs, counts, sumMs }: BucketCounts): Buckets {
  return { le: leMs.map((ms) => ms / MS_PER_S), counts, sum: sumMs / MS_PER_S };
}
