import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slotOfKey } from '../src/kernel/policy/choose-worker.ts';
import { testGrowth, testSpread } from './slot-of-key-cases.ts';

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

testSpread([3]);
testGrowth([4]);
