/** Successes that are remembered. */
const SIZE = 256;
/** Buckets of each doubling: durations of one bucket are at most 4.4 % apart. */
const STEPS = 16;
/** Buckets from 2^-6 to 2^26 ms. */
const BUCKETS = 32 * STEPS;
const FIRST = 6 * STEPS;
/** Share of the durations that may be newer than a percentile: 1/16 of them. */
const STALE_SHIFT = 4;

/** Last durations, in milliseconds, counted in buckets of a logarithmic scale; the functions of this file alone write it. */
export interface Latencies {
  /** Buckets of the durations, in the order in which they came. */
  readonly recent: Uint16Array;
  readonly counts: Uint16Array;
  /** Latest duration of each bucket: equal durations have exact percentiles. */
  readonly latest: Float64Array;
  /** Bucket of the longest duration, or one above it. */
  highest: number;
  /** Place of the next duration in `recent`. */
  next: number;
  count: number;
  /** Percentile that was read last, and the durations that came since. */
  readonly read: { share: number; ms: number; added: number };
}

export function createLatencies(): Latencies {
  return {
    recent: new Uint16Array(SIZE),
    counts: new Uint16Array(BUCKETS),
    latest: new Float64Array(BUCKETS),
    highest: 0,
    next: 0,
    count: 0,
    read: { share: 0, ms: 0, added: 0 },
  };
}

/** Adds a duration; the oldest one leaves. */
export function addLatency(latencies: Latencies, ms: number): void {
  const { recent, counts, next, read } = latencies;
  const bucket = bucketOf(ms);
  if (latencies.count < SIZE) latencies.count += 1;
  else {
    const oldest = recent[next] as number;
    counts[oldest] = (counts[oldest] as number) - 1;
  }
  recent[next] = bucket;
  counts[bucket] = (counts[bucket] as number) + 1;
  latencies.latest[bucket] = ms;
  if (bucket > latencies.highest) latencies.highest = bucket;
  latencies.next = next + 1 === SIZE ? 0 : next + 1;
  read.added += 1;
}

function bucketOf(ms: number): number {
  // Nor does a clock that goes back lose count.
  if (!(ms > 0)) return 0;
  const bucket = Math.floor(Math.log2(ms) * STEPS) + FIRST;
  return Math.max(0, Math.min(BUCKETS - 1, bucket));
}

/**
 * Returns the duration that a share of the successes does not exceed (nearest rank), to 4.4 %; 0 without any. The last sixteenth of
 * the successes may be missing in it.
 */
export function percentile(latencies: Latencies, share: number): number {
  const { count, read } = latencies;
  if (read.share === share && read.added <= count >> STALE_SHIFT) return read.ms;
  read.share = share;
  read.ms = find(latencies, share);
  read.added = 0;
  return read.ms;
}

/** Counts down from the longest duration: most percentiles are near it. */
function find(latencies: Latencies, share: number): number {
  const { count, counts, latest } = latencies;
  if (count === 0) return 0;
  let longer = count - Math.max(1, Math.ceil(share * count));
  let bucket = latencies.highest;
  while (counts[bucket] === 0) bucket -= 1;
  latencies.highest = bucket;
  for (; longer >= (counts[bucket] as number); bucket -= 1) longer -= counts[bucket] as number;
  return latest[bucket] as number;
}

/** Returns the median; 0 without any success. */
export function medianOf(latencies: Latencies): number {
  return percentile(latencies, 0.5);
}
