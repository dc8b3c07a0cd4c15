import { expect, test } from 'vitest';
import { percent, perSecond, table, three, times } from '../src/index.ts';

test('table() has even columns, texts to the left and numbers to the right', () => {
  expect(
    table([
      ['way', 'per second'],
      ['fork', '7'],
    ]),
  ).toEqual(['| way  | per second |', '| ---- | ---------: |', '| fork |          7 |']);
});

test('table() has as many columns of text as it is told, and room for cells that are missing', () => {
  expect(table([['a', 'claim', 'c'], ['b']], 2)).toEqual([
    '| a   | claim |   c |',
    '| --- | ----- | --: |',
    '| b   |       |     |',
  ]);
});

test.each([
  [three, [0.0001, 0.12345, 1.5, 99.99, 1234.5], ['0', '0.123', '1.50', '100', '1235']],
  [perSecond, [1.5, 789, 999.6, 45_600, 999_600], ['1.50', '789', '1.00k', '45.6k', '1.00M']],
  [percent, [0.5, 0.0123, -0.2], ['50 %', '1.2 %', '-20 %']],
  [
    times,
    [0.987, 2, 9.994, 9.996, 25.08, 148.4],
    ['0.99x', '2.00x', '9.99x', '10.0x', '25.1x', '148x'],
  ],
])('%o shows numbers in the digits that matter', (text, numbers, expected) => {
  expect(numbers.map(text)).toEqual(expected);
  expect(text(Number.NaN)).toBe('-');
});
