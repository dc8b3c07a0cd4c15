import { expect, test } from 'vitest';
import { slotOfKey } from '../src/kernel/policy/choose-worker.ts';

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

export function testSpread(counts: readonly number[]): void {
  test.each(counts)('keys spread evenly over %i slots', (slots) => {
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
  });
}

export function testGrowth(counts: readonly number[]): void {
  test.each(counts)('from %i slots to one more, only the keys of the new slot move', (slots) => {
    let moved = 0;
    for (const key of keys) {
      const [before, after] = [slotOfKey(key, slots), slotOfKey(key, slots + 1)];
      if (before === after) continue;
      moved += 1;
      expect(after).toBe(slots);
    }
    const expected = keys.length / (slots + 1);
    expect(Math.abs(moved - expected)).toBeLessThan(5 * Math.sqrt(expected));
  });
}
