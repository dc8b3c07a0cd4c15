/**
 * Durations as counts by bucket: what histograms of Prometheus and OpenTelemetry are made of. Two of them are
 * added, or subtracted, entry by entry.
 */
export interface BucketCounts {
  /** Upper bounds in milliseconds, ascending; a value that equals a bound is within it. */
  readonly leMs: readonly number[];
  /** Values of each bucket alone, not cumulative. One entry more than `leMs`: the last is above all bounds. */
  readonly counts: readonly number[];
  /** Sum of all values, in milliseconds. */
  readonly sumMs: number;
}

/** Counts durations; `add` takes tens of nanoseconds and allocates nothing. */
export interface BucketCounter {
  /** Counts a duration; one below 0, or none that is a number, counts as 0. */
  add(ms: number): void;
  /** Returns a copy of the counts since the start. */
  summary(): BucketCounts;
}

/** The bounds that OpenTelemetry advises for the duration of HTTP requests, in milliseconds. */
export const ADVISED_LE_MS: readonly number[] = [
  5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000,
];

/** Returns a counter of durations by bucket, by default with the 14 bounds that OpenTelemetry advises. */
export function createBucketCounts(leMs: readonly number[] = ADVISED_LE_MS): BucketCounter {
  const counts = new Float64Array(leMs.length + 1);
  let sumMs = 0;
  return {
    add(ms) {
      const value = Math.max(ms, 0) || 0;
      let bucket = 0;
      while (bucket < leMs.length && value > (leMs[bucket] as number)) bucket += 1;
      counts[bucket] = (counts[bucket] as number) + 1;
      sumMs += value;
    },
    summary: () => ({ leMs, counts: [...counts], sumMs }),
  };
}
