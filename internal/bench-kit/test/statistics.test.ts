import { expect, test } from 'vitest';
import { median, medianRatio, quantile, spread } from '../src/index.ts';

test.each([
  [[3, 1, 2], 2],
  [[4, 1, 3, 2], 2.5],
  [[7], 7],
])('median() of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected);
});

test('median() and quantile() of nothing are no number', () => {
  expect(median([])).toBeNaN();
  expect(quantile([], 0.5)).toBeNaN();
});

test('medianRatio() compares within a round', () => {
  expect(medianRatio([10, 40, 9], [5, 10, 3])).toBe(3);
  expect(medianRatio([1], [])).toBeNaN();
});

test('spread() is the range as a share of the median', () => {
  expect(spread([9, 10, 12])).toBeCloseTo(0.3);
  expect(spread([0, 0])).toBe(0);
});

test('quantile() takes the nearest rank', () => {
  const sorted = Array.from({ length: 100 }, (_, place) => place + 1);
  expect([0, 0.5, 0.99, 1].map((share) => quantile(sorted, share))).toEqual([1, 50, 99, 100]);
});
