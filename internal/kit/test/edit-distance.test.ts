import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance, nearest } from '../src/options/edit-distance.ts';

/** The definition, as it stands: exponential, and hard to get wrong. */
function naive(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const [first, second] = [a.at(-1), a.at(-2)];
  const costs = [
    naive(a.slice(0, -1), b) + 1,
    naive(a, b.slice(0, -1)) + 1,
    naive(a.slice(0, -1), b.slice(0, -1)) + (first === b.at(-1) ? 0 : 1),
  ];
  if (a.length > 1 && b.length > 1 && first === b.at(-2) && second === b.at(-1)) {
    costs.push(naive(a.slice(0, -2), b.slice(0, -2)) + 1);
  }
  return Math.min(...costs);
}

const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 });

test('editDistance() is what its definition says', () => {
  fc.assert(
    fc.property(words, words, (a, b) => {
      expect(editDistance(a, b)).toBe(naive(a, b));
    }),
    { numRuns: 500 },
  );
});

test('editDistance() is the same both ways, and 0 for the same text alone', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
      expect(editDistance(a, a)).toBe(0);
    }),
  );
});

test('editDistance() counts a swap of neighbours as one edit', () => {
  expect(editDistance('barcelnoa', 'barcelona')).toBe(1);
  expect(editDistance('ca', 'abc')).toBe(3);
});

test.each([
  ['accpet', 'accept'],
  ['ACCEPT', 'accept'],
  ['dispatch-worker', 'dispatch-workers'],
  ['timeout', 'timeoutMs'],
  ['zebra', undefined],
  ['x', undefined],
  ['', undefined],
  ['a'.repeat(65), undefined],
])('nearest() takes %s for %s', (name, near) => {
  const known = ['dispatch', 'accept', 'dispatch-workers', 'timeoutMs', `${'a'.repeat(64)}b`];
  expect(nearest(name, known)).toBe(near);
});
