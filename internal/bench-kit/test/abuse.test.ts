import { FlagError } from '@ticketing/cli-kit';
import { expect, test } from 'vitest';
import { benchFlags, betweenMarks } from '../src/index.ts';

const whole = { rounds: 9, sliceMs: 100 };

test.each([
  [['--rounds', '0'], "--rounds must be an integer from 1 to 1000000, got '0'"],
  [['--rounds', '1.5'], "--rounds must be an integer from 1 to 1000000, got '1.5'"],
  [['--slice-ms', 'long'], "--slice-ms must be an integer from 1 to 1000000, got 'long'"],
  [['--fast'], 'unknown flag --fast; --help lists the flags'],
  [['--seconds', '3'], 'unknown flag --seconds; --help lists the flags'],
  [['--slice', '3'], 'unknown flag --slice; did you mean --slice-ms?'],
  [['--quick=yes'], "--quick must be on or off, got 'yes'"],
])('benchFlags() refuses %j', (args, message) => {
  expect(() => benchFlags(whole, { args })).toThrow(new FlagError(`Cannot measure: ${message}`));
});

test('betweenMarks() refuses a text without the marks', () => {
  expect(() => betweenMarks('none', { name: 'results', lines: [] })).toThrow(
    new Error(
      'Cannot write the report: the file must have the marks <!-- results --> and <!-- /results -->',
    ),
  );
});
