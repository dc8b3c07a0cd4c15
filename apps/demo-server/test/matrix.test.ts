import { expect, test } from 'vitest';
import { ACCEPTS, COALESCES } from '../src/flags/flag-specs.ts';
import { DISPATCH_NAMES } from '../src/search/dispatch.ts';
import { type Combination, testCombinations } from './matrix.ts';

// Each value of each flag; `test/full` has all of them with each other.
const chosen: Combination[] = [
  { accept: 'single', dispatch: 'fork', coalesce: 'on', kills: ['task'] },
  { accept: 'cluster', dispatch: 'piscina', coalesce: 'machine', kills: ['server'] },
  { accept: 'socket', dispatch: 'cluster', coalesce: 'off', kills: ['server', 'task'] },
  { accept: 'passthru', dispatch: 'in-process', coalesce: 'on', kills: ['server'] },
];
const others = DISPATCH_NAMES.filter((name) => chosen.every(({ dispatch }) => dispatch !== name));
const some: Combination[] = [
  ...chosen,
  ...others.map((dispatch) => ({
    ...{ accept: 'single' as const, dispatch, coalesce: 'on' as const },
    kills: ['task' as const],
  })),
];

test('the combinations below have each value', () => {
  const valuesOf = (flag: keyof Combination) => new Set(some.map((each) => each[flag]));
  expect(valuesOf('accept')).toEqual(new Set(ACCEPTS));
  expect(valuesOf('dispatch')).toEqual(new Set(DISPATCH_NAMES));
  expect(valuesOf('coalesce')).toEqual(new Set(COALESCES));
});

testCombinations(some);
