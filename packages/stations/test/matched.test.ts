import { expect, test } from 'vitest';
import { bestMatch } from '../src/search/matched.ts';

test.each([
  ['a letter less', 'barclona'],
  ['a letter more', 'barccelona'],
  ['another letter', 'barxelona'],
  ['two swapped letters', 'bacrelona'],
  ['a letter less at the beginning', 'arcelona'],
  ['two edits', 'barxelnoa'],
])('bestMatch() marks the word that is near to a typed one: %s', (_, word) => {
  expect(bestMatch(['Sants Barcelona'], { words: [word], isCorrected: true }).ranges).toEqual([
    [6, 15],
  ]);
  expect(bestMatch(['Sants Barcelona'], { words: [word], isCorrected: false }).ranges).toEqual([]);
});

test.each([
  ['no edit of three letters', 'snt'],
  ['two edits of seven letters', 'baxcxlo'],
  ['three edits', 'bxrxelxna'],
])('bestMatch() marks nothing that is further away than suggestions allow: %s', (_, word) => {
  expect(bestMatch(['Sants Barcelona'], { words: [word], isCorrected: true }).ranges).toEqual([]);
});

test('bestMatch() compares as many letters more as there may be edits', () => {
  const found = bestMatch(['Barcelona Sants'], { words: ['snts'], isCorrected: true });
  expect(found.ranges).toEqual([[10, 15]]);
});
