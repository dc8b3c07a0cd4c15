import { expect, test } from 'vitest';
import { ACCEPTS, COALESCES, DISPATCH_NAMES } from '../src/flags/flags.ts';
import { type Combination, testCombinations } from './matrix.ts';

const KILLS = [[], ['server'], ['task']] as const;

// Each two values of two flags meet; `test/full` has all of them, with all kills.
const pairwise: Combination[] = ACCEPTS.flatMap((accept, a) =>
  DISPATCH_NAMES.map((dispatch, d) => ({
    accept,
    dispatch,
    coalesce: COALESCES[(a + d) % 3] ?? 'on',
    kills: accept === 'single' && (a + 2 * d) % 3 === 1 ? [] : (KILLS[(a + 2 * d) % 3] ?? []),
  })),
);

test('the combinations below have each pair of values', () => {
  const pairs = (one: keyof Combination, other: keyof Combination) =>
    new Set(pairwise.map((combination) => `${combination[one]} ${combination[other]}`)).size;
  expect(pairs('accept', 'dispatch')).toBe(16);
  expect(pairs('accept', 'coalesce')).toBe(12);
  expect(pairs('dispatch', 'coalesce')).toBe(12);
  // A server that is alone has no successor.
  expect(pairs('accept', 'kills')).toBe(11);
  expect(pairs('dispatch', 'kills')).toBe(12);
});

testCombinations(pairwise);
