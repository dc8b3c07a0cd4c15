import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slotOfKey } from '../../src/kernel/policy/choose-worker.ts';

test('a key keeps its slot in every process and version', () => {
  expect(['', 'a', 'customer-1', 'Zürich', '🚀'].map((key) => slotOfKey(key, 8))).toEqual([
    3, 0, 6, 5, 5,
  ]);
});

test('the slot is 0 to slots - 1, and always the same', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 1024 }), (key, slots) => {
      const slot = slotOfKey(key, slots);
      expect(Number.isInteger(slot) && slot >= 0 && slot < slots).toBe(true);
      expect(slotOfKey(key, slots)).toBe(slot);
    }),
  );
});

const keys = Array.from({ length: 20_000 }, (_, index) => `customer-${index}`);

/** Keys by slot. */
function spread(names: readonly string[], slots: number): number[] {
  const counts = new Array<number>(slots).fill(0);
  for (const name of names) {
    const slot = slotOfKey(name, slots);
    counts[slot] = (counts[slot] as number) + 1;
  }
  return counts;
}

test.each(scaled({ fast: [3], full: [2, 3, 4, 8, 16, 64] }))(
  'keys spread evenly over %i slots',
  (slots) => {
    const patterns = [
      keys,
      keys.map((_, index) => String(index)),
      keys.map((_, index) => `${index.toString(36)}@example.com`),
      keys.map((_, index) => 'x'.repeat(index % 200) + String.fromCharCode(index)),
    ];
    for (const names of patterns) {
      const expected = names.length / slots;
      const chiSquare = spread(names, slots).reduce(
        (sum, count) => sum + (count - expected) ** 2 / expected,
        0,
      );
      // Its mean is slots - 1, its variance twice that: five deviations, and a few for small numbers.
      expect(chiSquare).toBeLessThan(slots - 1 + 5 * Math.sqrt(2 * (slots - 1)) + 5);
    }
  },
);

test.each(scaled({ fast: [4], full: [1, 2, 4, 7, 31] }))(
  'from %i slots to one more, only the keys of the new slot move',
  (slots) => {
    let moved = 0;
    for (const key of keys) {
      const [before, after] = [slotOfKey(key, slots), slotOfKey(key, slots + 1)];
      if (before === after) continue;
      moved += 1;
      expect(after).toBe(slots);
    }
    const expected = keys.length / (slots + 1);
    expect(Math.abs(moved - expected)).toBeLessThan(5 * Math.sqrt(expected));
  },
);
