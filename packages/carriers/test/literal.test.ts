import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLiteralScanner, LiteralError } from '../src/renfe/javascript-literal.ts';

const read = (text: string): unknown => {
  const scanner = createLiteralScanner(text);
  const value = scanner.literal();
  if (scanner.offset !== text.length) throw new LiteralError('the end', scanner.offset);
  return value;
};

test('literal() reads what JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expect(JSON.stringify(read(JSON.stringify(value)))).toBe(JSON.stringify(value));
    }),
  );
});

test.each([
  ["'it\\'s'", "it's"],
  ['"B\\u00E1sico \\x41\\n\\0\\q"', 'Básico A\n\0q'],
  ['"it\'s"', "it's"],
  ['-1.5e3', -1500],
  ['.5', 0.5],
  ['undefined', undefined],
])('literal() reads %s', (text, value) => {
  expect(read(text)).toBe(value);
});

test('literal() reads keys without quotes, and __proto__ as a key like any other', () => {
  const value = read('{a:1,"b c":2,\'d\':[3 , null],$e_1:{__proto__:4}}');
  expect(JSON.stringify(value)).toBe('{"a":1,"b c":2,"d":[3,null],"$e_1":{"__proto__":4}}');
});

test.each([
  '',
  '"open',
  '"line\nbreak"',
  '"\\u12"',
  '"\\01"',
  '[1,]',
  '{a:1,}',
  '{a 1}',
  'new Date(0)',
  'alert(1)',
  '1n',
  '01a',
  '(1)',
  '`x`',
  '/x/',
  '[',
  '['.repeat(10_000),
])('literal() refuses %j', (text) => {
  expect(() => read(text)).toThrow(LiteralError);
});

test('literal() is linear in the length of its text', () => {
  const words = 1_000_000;
  expect(read(`"${'a\\n'.repeat(words)}"`)).toHaveLength(2 * words);
});
