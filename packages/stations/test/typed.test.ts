import { expect, test } from 'vitest';
import { book } from './book.ts';
import { HALVES, placeOf, readTyped } from './typed/read-typed.ts';

test.each(HALVES)(
  'of the texts that travellers type, %s, 95 of 100 have the meant station first',
  (half) => {
    const texts = readTyped(half);
    const first = texts.filter((one) => placeOf(book, one) === 0);
    expect(texts.length).toBeGreaterThan(150);
    expect(first.length / texts.length).toBeGreaterThanOrEqual(0.95);
  },
);

test('the halves have no text in common', () => {
  const [one, other] = HALVES.map((half) => new Set(readTyped(half).map(({ text }) => text)));
  expect([...(one ?? [])].filter((text) => other?.has(text))).toEqual([]);
});
