import { expect, test } from 'vitest';
import { benchFlags, betweenMarks } from '../src/index.ts';

const whole = { rounds: 9, sliceMs: 100 };

test.each([
  [['--rounds', '0'], "Cannot measure: --rounds must be a positive integer, got '0'"],
  [['--rounds', '1.5'], "Cannot measure: --rounds must be a positive integer, got '1.5'"],
  [['--slice-ms', 'long'], "Cannot measure: --slice-ms must be a positive integer, got 'long'"],
])('benchFlags() refuses %j', (args, message) => {
  expect(() => benchFlags(whole, { args })).toThrow(new RangeError(message));
});

test.each([
  [['--fast'], "Unknown option '--fast'"],
  [['--seconds', '3'], "Unknown option '--seconds'"],
  [['--quick=yes'], "Option '--quick' does not take an argument"],
])('benchFlags() refuses %j, and tells which there are', (args, reason) => {
  expect(() => benchFlags(whole, { args })).toThrow(
    new TypeError(`Cannot measure: flags must be some of --quick, --rounds, --slice-ms. ${reason}`),
  );
});

test('betweenMarks() refuses a text without the marks', () => {
  expect(() => betweenMarks('none', { name: 'results', lines: [] })).toThrow(
    new Error(
      'Cannot write the report: the file must have the marks <!-- results --> and <!-- /results -->',
    ),
  );
});
