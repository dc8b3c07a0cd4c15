import { expect, test } from 'vitest';
import { compare } from '../src/rounds/compare.ts';
import {
  type Cell,
  figureOf,
  measureRounds,
  ratioOf,
  slicesOf,
} from '../src/rounds/measure-rounds.ts';

test('measureRounds() interleaves: each round in the opposite order of the one before, after one that warms up', async () => {
  const taken: string[] = [];
  const cell = (subject: string): Cell => ({
    subject,
    setting: 'any',
    async measure(sliceMs) {
      taken.push(`${subject}${sliceMs}`);
      return { perSecond: taken.length };
    },
  });
  let slices = 0;
  const measured = await measureRounds([cell('A'), cell('B')], {
    rounds: 2,
    sliceMs: 10,
    onSlice: () => slices++,
  });
  expect(taken).toEqual(['B5', 'A5', 'A10', 'B10', 'B10', 'A10']);
  expect(slices).toBe(slicesOf(2, 2));
  expect(measured.map(({ samples }) => samples.map(({ perSecond }) => perSecond))).toEqual([
    [3, 6],
    [4, 5],
  ]);
});

test('ratioOf() compares within a round, figureOf() is the median', () => {
  const of = (...rates: number[]) => ({
    subject: '',
    setting: '',
    samples: rates.map((perSecond) => ({ perSecond })),
  });
  expect(ratioOf(of(10, 40, 9), of(5, 10, 3))).toBe(3);
  expect(figureOf(of(10, 40, 9), 'perSecond')).toBe(10);
});

test.each([
  [[10, 11], [5, 6], 'more'],
  [[5, 6], [10, 11], 'less'],
  [[10, 11], [10, 11], 'same'],
  [[10, 5], [5, 10], 'open'],
])('compare() of %j with %j is %s', (own, other, expected) => {
  const of = (rates: number[]) => ({
    subject: '',
    setting: '',
    samples: rates.map((perSecond) => ({ perSecond })),
  });
  expect(compare(of(own), of(other))).toBe(expected);
});
