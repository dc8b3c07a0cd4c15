import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstRanges, withoutParameters } from '../src/http/preferred-type.ts';

/** The meaning of `withoutParameters()` in one pattern, whose time is quadratic. */
const PARAMETER = /;[^;,"]*(?:"(?:[^"\\]|\\.)*"[^;,"]*)*/g;
const expected = (accept: string): string =>
  accept.replace(PARAMETER, (text) => (/^;\s*q\s*=/i.test(text) ? text : ''));

test.each([
  ['text/html', 'text/html'],
  ['text/html;charset=utf-8;q=0.5, */*; Q = 0.1', 'text/html;q=0.5, */*; Q = 0.1'],
  ['a/b;x="1,2;q=0";q=1,c/d', 'a/b;q=1,c/d'],
  [String.raw`a/b;x="\"";q=1`, 'a/b;q=1'],
  ['a/b;x="open;q=1', 'a/b"open;q=1'],
])('withoutParameters(%j) is %j', (accept, kept) => {
  expect([withoutParameters(accept), expected(accept)]).toEqual([kept, kept]);
});

test('firstRanges() leaves out what comes after the first thousand characters, by whole ranges', () => {
  const short = 'text/html, */*;q=0.1';
  expect(firstRanges(short)).toBe(short);
  const long = `${short}${', a/b;q=0.2'.repeat(1000)}`;
  expect(firstRanges(long)).toMatch(/^text\/html, \*\/\*;q=0\.1(?:, a\/b;q=0\.2){89}$/);
  expect(firstRanges('a'.repeat(2000))).toBe('');
});

test('withoutParameters() keeps what the pattern keeps, whatever the text', () => {
  const piece = fc.constantFrom(
    ';',
    '"',
    '\\',
    ',',
    ' ',
    'q',
    'Q',
    '=',
    '\t',
    'a',
    'é',
    ';q=',
    ';"',
  );
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (accept) => {
      expect(withoutParameters(accept)).toBe(expected(accept));
    }),
    { numRuns: 5000 },
  );
});

test('withoutParameters() takes linear time for each text that repeats a few characters [linear-readers]', () => {
  const characters = [';', '"', '\\', ',', ' ', 'q', '='];
  const pairs = characters.flatMap((a) => characters.map((b) => a + b));
  const pieces = [...pairs, ...pairs.flatMap((pair) => [`${pair};`, `${pair}"`])];
  const timeOf = (piece: string, size: number): number => {
    const accept = piece.repeat(Math.ceil(size / piece.length));
    return Math.min(
      ...Array.from({ length: 3 }, () => {
        const before = performance.now();
        withoutParameters(accept);
        return performance.now() - before;
      }),
    );
  };
  // Of the whole pieces: a single one is too quick for a clock. Quadratic time would be 16 times as much.
  const total = (size: number) => pieces.reduce((sum, piece) => sum + timeOf(piece, size), 0);
  total(4000);
  const ratio = Math.min(...Array.from({ length: 3 }, () => total(16_000) / total(4000)));
  expect(ratio).toBeLessThan(10);
});
