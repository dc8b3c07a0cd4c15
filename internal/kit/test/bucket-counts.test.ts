import { describe, expect, it } from 'vitest';
import { ADVISED_LE_MS, createBucketCounts } from '../src/index.ts';

describe('createBucketCounts()', () => {
  it('counts a value in the first bucket whose bound it does not exceed', () => {
    const buckets = createBucketCounts([5, 10]);
    for (const ms of [0, 5, 5.1, 10, 11, 1e9]) buckets.add(ms);
    expect(buckets.summary()).toEqual({ leMs: [5, 10], counts: [2, 2, 2], sumMs: 1e9 + 31.1 });
  });

  it('has one entry more than bounds, by default the 14 that OpenTelemetry advises', () => {
    const { leMs, counts, sumMs } = createBucketCounts().summary();
    expect(leMs).toEqual(ADVISED_LE_MS);
    expect(counts).toEqual(Array(15).fill(0));
    expect(sumMs).toBe(0);
  });

  it('counts what is no duration as 0, so that the sum remains a number', () => {
    const buckets = createBucketCounts([5]);
    for (const ms of [-3, Number.NaN]) buckets.add(ms);
    expect(buckets.summary()).toMatchObject({ counts: [2, 0], sumMs: 0 });
  });

  it('returns a copy', () => {
    const buckets = createBucketCounts([5]);
    const before = buckets.summary();
    buckets.add(1);
    expect(before.counts).toEqual([0, 0]);
  });
});
