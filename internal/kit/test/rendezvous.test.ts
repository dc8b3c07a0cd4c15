import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashText, heaviest, rendezvousWeight } from '../src/rendezvous.ts';

const hosts = ['alpha', 'beta', 'gamma', 'delta'];

function owner(key: string, candidates: readonly string[]): string | undefined {
  const index = heaviest(candidates.length, hashText(key), (at) => hashText(candidates[at] ?? ''));
  return candidates[index];
}

test('heaviest() gives each key to one candidate, the same in every process and version', () => {
  expect(['', 'a', 'customer-1', 'Zürich', '🚀'].map((key) => owner(key, hosts))).toEqual([
    'beta',
    'gamma',
    'beta',
    'gamma',
    'gamma',
  ]);
});

test('heaviest() is -1 without candidates, and when all of them are passed over', () => {
  expect(heaviest(0, 1, () => 1)).toBe(-1);
  expect(heaviest(3, 1, () => undefined)).toBe(-1);
});

test('heaviest() gives the first of equal candidates', () => {
  expect(heaviest(3, 1, () => 7)).toBe(0);
  expect(heaviest(3, 1, (index) => (index === 0 ? undefined : 7))).toBe(1);
});

const hashes = fc.array(fc.option(fc.integer(), { nil: undefined }), { maxLength: 20 });

test('heaviest() has the greatest weight among the candidates that have a hash', () => {
  fc.assert(
    fc.property(fc.integer(), hashes, (keyHash, candidates) => {
      const weights = candidates.map((hash) =>
        hash === undefined ? -1 : rendezvousWeight(keyHash, hash),
      );
      const greatest = Math.max(-1, ...weights);
      expect(heaviest(candidates.length, keyHash, (index) => candidates[index])).toBe(
        greatest === -1 ? -1 : weights.indexOf(greatest),
      );
    }),
  );
});

test('heaviest() moves only the keys of a candidate that leaves', () => {
  fc.assert(
    fc.property(fc.integer(), hashes, fc.nat({ max: 19 }), (keyHash, candidates, leaving) => {
      const before = heaviest(candidates.length, keyHash, (index) => candidates[index]);
      fc.pre(before !== leaving);
      const after = heaviest(candidates.length, keyHash, (index) =>
        index === leaving ? undefined : candidates[index],
      );
      expect(after).toBe(before);
    }),
  );
});
