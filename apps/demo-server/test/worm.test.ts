import { expect, test } from 'vitest';
import { CLASS_WORDS, worm, worms } from '../src/worms/worm.ts';

test('worm() gives the same document at every call, on every machine', () => {
  expect(worm(1)).toEqual({
    id: 1,
    class: 'launch',
    name: 'Casper Loamer',
    lengthMm: 429,
    habitat: 'compost',
    foundOn: '2012-05-10',
  });
  expect([...worms(5, 7)]).toEqual([worm(5), worm(6), worm(7)]);
});

test('class names are some hundred words, each once, `utilize` among them', () => {
  expect(CLASS_WORDS.length).toBeGreaterThan(200);
  expect(CLASS_WORDS.length).toBeLessThan(500);
  expect(new Set(CLASS_WORDS).size).toBe(CLASS_WORDS.length);
  expect(CLASS_WORDS).toContain('utilize');
});

test('ten documents are about 1.1 kB of JSON', () => {
  const sizes = Array.from({ length: 100 }, (_, index) => {
    const first = 100_000 + index * 10;
    return JSON.stringify([...worms(first, first + 9)]).length;
  });
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  expect(mean).toBeGreaterThan(1000);
  expect(mean).toBeLessThan(1200);
});
