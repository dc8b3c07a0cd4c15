import { expect, test } from 'vitest';
import { crossover } from '../src/rounds/crossover.ts';

const gains = (ratios: Record<number, number>) =>
  Object.entries(ratios).map(([at, ratio]) => ({ at: Number(at), ratio }));

test.each([
  ['between two rows', { 1: 0.5, 4: 2, 16: 3 }, 'from about 2.0 ms'],
  ['never', { 0: 0.1, 50: 0.9 }, 'not up to 50 ms'],
  ['always', { 0: 1.2, 50: 2 }, 'from 0 ms on'],
  ['after nothing at all', { 0: 0.5, 1: 1.5 }, 'below 1 ms'],
  ['after the last loss', { 1: 1.5, 2: 0.5, 8: 2 }, 'from about 4.0 ms'],
])('crossover() %s', (_, ratios, expected) => {
  expect(crossover(gains(ratios), 'ms')).toBe(expected);
});
