import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortByRank } from '../src/journeys/sort-by-rank.ts';

interface Ranked {
  readonly rank: number;
  readonly id: number;
}

const byId = (a: Ranked, b: Ranked): number => a.id - b.id;
const ranks = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const values = fc.array(fc.record({ rank: ranks, id: fc.nat(5) }), { maxLength: 300 });

test('sortByRank() sorts as Array.prototype.sort does, stable and into a new list', () => {
  fc.assert(
    fc.property(values, (list) => {
      const before = [...list];
      const sorted = sortByRank(list, ({ rank }) => rank, byId);
      expect(sorted).toEqual([...list].sort((a, b) => a.rank - b.rank || byId(a, b)));
      expect(list).toEqual(before);
      const stable = sortByRank(
        list,
        () => 0,
        () => 0,
      );
      expect(stable.every((value, index) => value === list[index])).toBe(true);
    }),
  );
});

test('sortByRank() sorts lists of no, one and many values', () => {
  expect(sortByRank([], Number, () => 0)).toEqual([]);
  expect(sortByRank([1], Number, () => 0)).toEqual([1]);
  const many = Array.from({ length: 10_001 }, (_, index) => (index * 7919) % 10_001);
  expect(sortByRank(many, Number, () => 0)).toEqual(many.map((_, index) => index));
});

test('sortByRank() takes n log n steps also where ranks are uneven: one is far from thousands that are near', () => {
  const list = Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 10_007);
  list.push(1e12);
  let read = 0;
  const rankOf = (value: number): number => {
    read += 1;
    return value;
  };
  expect(sortByRank(list, rankOf, () => 0)).toEqual([...list].sort((a, b) => a - b));
  expect(read).toBeLessThan(list.length * 2 * Math.log2(list.length));
});
