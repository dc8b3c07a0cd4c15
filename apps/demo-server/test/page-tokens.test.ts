import type { SearchPage } from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPageTokens, newPageKey } from '../src/search/page-tokens.ts';

const tokens = createPageTokens('a key of these tests');
const page: SearchPage = {
  v: 1,
  query: 'q',
  direction: 'later',
  byCarrier: { renfe: ['2026-12-02'], hafas: ['3|OB|MTµ14µ', null] },
};

test('a page comes back as it was sealed, as text for addresses', () => {
  const text = tokens.seal(page);
  expect(text).toMatch(/^[\w-]+\.[\w-]{43}$/);
  expect(encodeURIComponent(text)).toBe(text);
  expect(tokens.open(text)).toEqual(page);
  expect(tokens.seal(page)).toBe(text);
});

test('a page of another key is none', () => {
  const other = createPageTokens(newPageKey());
  expect(other.open(tokens.seal(page))).toBeUndefined();
  expect(newPageKey()).not.toBe(newPageKey());
});

test('no other text is a page, whatever is changed in it', () => {
  const text = tokens.seal(page);
  fc.assert(
    fc.property(
      fc.nat(text.length - 1),
      fc.constantFrom('A', 'B', '-', '_', '=', '.', ' ', '%', 'µ', ''),
      (at, character) => {
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        fc.pre(changed !== text);
        expect(tokens.open(changed)).toBeUndefined();
      },
    ),
    { numRuns: 1000 },
  );
  fc.assert(
    fc.property(fc.string(), (any) => {
      expect(tokens.open(any)).toBeUndefined();
    }),
  );
  const { payload = '', proof = '' } = /^(?<payload>[^.]+)\.(?<proof>.+)$/.exec(text)?.groups ?? {};
  for (const forged of ['', '.', `${payload}.`, `.${proof}`, payload, `${text}.x`, `${text}=`]) {
    expect(tokens.open(forged), forged).toBeUndefined();
  }
});
