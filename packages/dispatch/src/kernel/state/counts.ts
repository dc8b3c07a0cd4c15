import { ADVISED_LE_MS, type BucketCounts } from '@ticketing/kit';
import type { HistogramSummary } from '../../contract/stats.ts';

/** Counters of calls. */
export interface KernelCounts {
  asked: number;
  completed: number;
  failed: number;
  aborted: number;
  rejected: number;
  /** Calls among the rejected that would have waited too long. */
  refused: number;
  retried: number;
  moved: number;
  returned: number;
  readonly wait: Histogram;
  readonly run: Histogram;
  readonly transport: Histogram;
}

/** End of a call, by the name of its counter. */
export type Ending = 'completed' | 'failed' | 'aborted' | 'rejected';

export function createKernelCounts(): KernelCounts {
  return {
    asked: 0,
    completed: 0,
    failed: 0,
    aborted: 0,
    rejected: 0,
    refused: 0,
    retried: 0,
    moved: 0,
    returned: 0,
    wait: createHistogram(),
    run: createHistogram(),
    transport: createHistogram(),
  };
}

/** Counts durations. */
export interface Histogram {
  /** Takes milliseconds; negative and infinite ones count as 0. */
  record(ms: number): void;
  /** Quantiles within 7 %; count, mean and max exact. */
  summary(): HistogramSummary;
  /** Counts by the bounds that OpenTelemetry advises. Each bound is moved by 5 % at most, to the nearest edge of a finer bucket. */
  buckets(): BucketCounts;
}

/** Each doubling of time has 8 buckets of equal width, so a bucket's middle is within 1/16 of its members. */
const FRACTION_BITS = 3;
/** 2^-16 ms, 15 ns: less counts as 0. */
const LEAST_EXPONENT = -16;
/** 2^22 ms, 70 minutes: more shares the last bucket. */
const GREATEST_EXPONENT = 22;

/** An IEEE 754 double begins with 12 bits of sign and exponent, the latter with this added. */
const EXPONENT_BIAS = 1023;
const BELOW_FIRST = ((EXPONENT_BIAS + LEAST_EXPONENT) << FRACTION_BITS) - 1;
const LAST = ((GREATEST_EXPONENT - LEAST_EXPONENT) << FRACTION_BITS) + 1;

/**
 * Creates a histogram of fixed size with log-linear buckets, like HdrHistogram (Gil Tene, https://hdrhistogram.org).
 * The bits of a number give its bucket: exponent and first digits of the fraction.
 */
export function createHistogram(): Histogram {
  // Doubles: 32-bit counters would overflow within days.
  const counts = new Float64Array(LAST + 1);
  const bits = new DataView(new ArrayBuffer(8));
  let count = 0;
  let sum = 0;
  let max = 0;

  return {
    record(duration) {
      const ms = duration > 0 && duration < Number.POSITIVE_INFINITY ? duration : 0;
      count += 1;
      sum += ms;
      if (ms > max) max = ms;
      bits.setFloat64(0, ms);
      const bucket = (bits.getUint32(0) >>> (20 - FRACTION_BITS)) - BELOW_FIRST;
      const index = Math.max(0, Math.min(bucket, LAST));
      counts[index] = (counts[index] as number) + 1;
    },
    summary() {
      const mean = count === 0 ? 0 : sum / count;
      const [p50 = 0, p90 = 0, p99 = 0] = quantiles([0.5, 0.9, 0.99]);
      return { count, mean, p50, p90, p99, max };
    },
    buckets() {
      const folded = new Array<number>(ADVISED_LE_MS.length + 1).fill(0);
      counts.forEach((each, index) => {
        const bucket = coarseOf[index] as number;
        folded[bucket] = (folded[bucket] as number) + each;
      });
      return { leMs: ADVISED_LE_MS, counts: folded, sumMs: sum };
    },
  };

  /** Returns the time that each share of all values does not exceed. The shares must ascend. */
  function quantiles(shares: readonly number[]): number[] {
    let index = 0;
    let seen = counts[0] as number;
    return shares.map((share) => {
      while (seen < share * count) {
        index += 1;
        seen += counts[index] as number;
      }
      // The last bucket has no upper bound, and no quantile exceeds the maximum.
      return index === LAST ? max : Math.min(max, middleOf(index));
    });
  }
}

/** The advised bucket of each fine one: the one that holds its middle. */
const coarseOf: readonly number[] = Array.from({ length: LAST + 1 }, (_, index) => {
  const bound = ADVISED_LE_MS.findIndex((leMs) => middleOf(index) <= leMs);
  return bound < 0 ? ADVISED_LE_MS.length : bound;
});

/** Milliseconds in the middle of a bucket; the first bucket counts as 0. */
function middleOf(index: number): number {
  if (index === 0) return 0;
  const steps = 1 << FRACTION_BITS;
  const exponent = LEAST_EXPONENT + Math.floor((index - 1) / steps);
  const fraction = ((index - 1) % steps) / steps;
  return 2 ** exponent * (1 + fraction + 1 / (2 * steps));
}
