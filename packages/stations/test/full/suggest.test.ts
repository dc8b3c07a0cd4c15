import { test } from 'vitest';
import { table } from '../book.ts';
import {
  expectBounded,
  expectFound,
  expectNaive,
  expectSame,
  randomFrom,
  randomTexts,
} from '../suggest-tests.ts';

test('suggest() equals a search that looks at everything, for 2,000 texts', {
  timeout: 600_000,
}, () => {
  expectNaive(randomTexts(2000, 1));
});

test('suggest() finds every station by each of its names', { timeout: 300_000 }, () => {
  expectFound(Array.from({ length: table.length }, (_, row) => row));
});

test('suggest() stays within its bounds after every keystroke of 100 names', {
  timeout: 300_000,
}, () => {
  const random = randomFrom(2);
  expectBounded(
    Array.from({ length: 100 }, () => table.nameOf(Math.floor(random() * table.length))),
  );
});

test('suggest() and find() never throw, and always give the same, for 500 texts of any kind', () => {
  expectSame(500);
});
