import { expect, test } from 'vitest';
import { exponentOf, mostExponent } from '../growth/exponent.ts';
import { growthFlags } from '../growth/growth-flags.ts';
import { boundOf, exponentTable, timesTable } from '../growth/growth-report.ts';
import { measureGrowth } from '../growth/measure-growth.ts';
import type { Subject } from '../growth/subject.ts';

const SIZES = [1, 10, 100, 1000, 10_000];
const points = (timeOf: (size: number) => number) =>
  SIZES.map((size) => ({ size, ms: timeOf(size) }));
const subject: Subject = { name: 'things', of: 'things', sizes: SIZES, contenders: [] };
const grown = (timeOf: (size: number) => number, more: Partial<Subject> = {}) => ({
  subject: { ...subject, ...more },
  contenders: [
    { name: 'ours', points: points(timeOf) },
    { name: 'peer', points: points((size) => size) },
  ],
});

test('exponentOf() tells a constant, a line and a square, whatever small sizes cost', () => {
  expect(exponentOf(points(() => 5))).toBeCloseTo(0, 5);
  expect(exponentOf(points((size) => 3 + size / 100))).toBeCloseTo(0.9, 0);
  expect(exponentOf(points((size) => 7 + size ** 2))).toBeCloseTo(2, 1);
  expect(exponentOf(points((size) => size).slice(0, 2))).toBeUndefined();
});

test('exponentOf() is not moved by one size that a busy machine measured', () => {
  const seven = [1, 2, 4, 8, 16, 32, 64, 128, 256].map((size) => ({ size, ms: size }));
  const busy = seven.map((point) => (point.size === 128 ? { size: 128, ms: 300 } : point));
  expect(exponentOf(busy)).toBeCloseTo(1, 1);
});

test('boundOf() accepts n log n, what a peer shows as well, and a square only for a reason', () => {
  const square = grown((size) => size ** 2);
  expect(boundOf(grown((size) => size * Math.log2(size + 1)))).toBe('n log n at most');
  expect(boundOf(square)).toBeUndefined();
  expect(boundOf(grown((size) => size ** 2, { reason: 'at most 8' }))).toBe('at most 8');
  const [ours, peer] = square.contenders;
  const alike = [ours, { name: 'peer', points: ours?.points ?? [] }, peer].flatMap(
    (one) => one ?? [],
  );
  expect(boundOf({ ...square, contenders: alike })).toBe('as the peer');
  expect(mostExponent(SIZES)).toBeLessThan(1.5);
});

test('growthFlags() refuses to publish some subjects only', () => {
  expect(() => growthFlags(['--publish', '--only', 'keys'])).toThrow('without --only');
  expect(growthFlags(['--publish'])).toMatchObject({ publish: true, rounds: 5 });
});

test('the tables have a row for each contender, and the ratio at the largest size', () => {
  const lines = exponentTable([grown((size) => size * 2)]);
  expect(lines.slice(2).map((line) => line.replace(/ +/g, ' '))).toEqual([
    '| things | ours | 1.00 | 10,000 things | 20000 ms | | n log n at most |',
    '| | peer | 1.00 | 10,000 things | 10000 ms | 0.50x | |',
  ]);
  expect(timesTable(grown((size) => size))).toHaveLength(4);
});

test('measureGrowth() ends what it prepared, and leaves out sizes after one that is too slow', async () => {
  const ended: string[] = [];
  const contender = (name: string, msOf: (size: number) => number) => ({
    name,
    prepare: (size: number) => ({
      work() {
        const until = performance.now() + msOf(size);
        while (performance.now() < until);
      },
      end: () => ended.push(`${name} ${size}`),
    }),
  });
  const contenders = [contender('ours', () => 0), contender('slow', (size) => size)];
  const options = { rounds: 1, sliceMs: 0, mostMs: 5 };
  const [ours, slow] = await measureGrowth({ ...subject, sizes: [1, 10, 20], contenders }, options);
  expect(ours?.points.map(({ size }) => size)).toEqual([1, 10, 20]);
  expect(slow?.points.map(({ size }) => size)).toEqual([1, 10]);
  expect(ended).toEqual(['ours 1', 'slow 1', 'ours 10', 'slow 10', 'ours 20']);
});
