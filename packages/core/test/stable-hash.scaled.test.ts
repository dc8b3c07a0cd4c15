import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stableHash } from '../src/model/stable-hash.ts';
import { runs } from './scale.ts';

test('stableHash() never changes: ids live in caches and links', () => {
  expect(
    ['', 'a', 'b', '2026-12-01 3063 uic:7160000 uic:7171801', 'Málaga'].map(stableHash),
  ).toEqual(['biic5n1tehanc', '7cq7qr0cz319n', '0a72gi1on2wgw', 'qo5bak15x3n2o', 'c2yyle0jduz3c']);
});

test('stableHash() gives 13 characters of a link', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      }),
      (text) => {
        expect(stableHash(text)).toMatch(/^[0-9a-z]{13}$/);
      },
    ),
  );
});

test('stableHash() has no collision among the names of many trains', () => {
  const count = runs(100_000);
  const names = new Set<string>();
  for (let number = 0; number < count; number++) {
    names.add(stableHash(`2026-12-01 ${number} uic:7160000 uic:7171801`));
  }
  expect(names.size).toBe(count);
});
