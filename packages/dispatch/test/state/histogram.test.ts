import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHistogram } from '../../src/kernel/state/counts.ts';

const summaryOf = (times: readonly number[]) => {
  const histogram = createHistogram();
  for (const ms of times) histogram.record(ms);
  return histogram.summary();
};

test('summary() is all 0 before the first record', () => {
  expect(summaryOf([])).toEqual({ count: 0, mean: 0, p50: 0, p90: 0, p99: 0, max: 0 });
});

test('summary() has count, mean and max exact', () => {
  expect(summaryOf([1, 2, 6])).toMatchObject({ count: 3, mean: 3, max: 6 });
});

test('summary() separates usual times from rare ones', () => {
  const times = Array.from({ length: 1000 }, (_, index) => (index < 985 ? 1 : 500));
  const { p50, p90, p99 } = summaryOf(times);
  expect(p50).toBeCloseTo(1, 0);
  expect(p90).toBeCloseTo(1, 0);
  expect(p99).toBeGreaterThan(465);
});

test('record() counts negative and non-finite numbers as 0', () => {
  expect(summaryOf([-1, -0, NaN, Infinity, -Infinity])).toEqual({
    count: 5,
    mean: 0,
    p50: 0,
    p90: 0,
    p99: 0,
    max: 0,
  });
});

test('record() takes times that are shorter or longer than any bucket', () => {
  const day = 86_400_000;
  expect(summaryOf([Number.MIN_VALUE, 1e-6])).toMatchObject({ count: 2, p50: 0, max: 1e-6 });
  expect(summaryOf([day])).toMatchObject({ p50: day, max: day });
  expect(summaryOf([Number.MAX_VALUE])).toMatchObject({ max: Number.MAX_VALUE });
});

test('quantiles are within 7 % from 16 ns to an hour', () => {
  // As many short as long ones: the exponent is what is drawn, as an integer, since doubles are drawn mostly around 0.
  const time = fc
    .integer({ min: -16_000, max: Math.floor(1000 * Math.log2(3_600_000)) })
    .map((exponent) => 2 ** (exponent / 1000));
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 300 }), (times) => {
      const summary = summaryOf(times);
      const sorted = times.toSorted((one, other) => one - other);
      for (const [name, share] of [
        ['p50', 0.5],
        ['p90', 0.9],
        ['p99', 0.99],
      ] as const) {
        const exact = sorted[Math.ceil(share * times.length) - 1] as number;
        expect(Math.abs(summary[name] - exact)).toBeLessThanOrEqual(0.07 * exact);
      }
      expect(summary.p50).toBeLessThanOrEqual(summary.p90);
      expect(summary.p90).toBeLessThanOrEqual(summary.p99);
      expect(summary.p99).toBeLessThanOrEqual(summary.max);
    }),
  );
});

test('the buckets hold what an exact count holds, but for bounds that are moved by 5 %', () => {
  const histogram = createHistogram();
  const values = Array.from({ length: 4000 }, (_, index) => 1.0023 ** index);
  for (const value of values) histogram.record(value);
  const { leMs, counts, sumMs } = histogram.buckets();
  expect(sumMs).toBeCloseTo(
    values.reduce((sum, value) => sum + value),
    0,
  );
  let seen = 0;
  leMs.forEach((bound, index) => {
    seen += counts[index] ?? 0;
    const within = (limit: number): number => values.filter((value) => value <= limit).length;
    expect(seen).toBeGreaterThanOrEqual(within(bound * 0.95));
    expect(seen).toBeLessThanOrEqual(within(bound * 1.05));
  });
  expect(seen + (counts.at(-1) ?? 0)).toBe(values.length);
});
