import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDwrReply } from '../src/renfe/dwr.ts';
import { type Literal, LiteralError, LiteralScanner } from '../src/renfe/javascript-literal.ts';
import { createPatternScanner } from './pattern-scanner.ts';
import { runs } from './scale.ts';
import { fixture } from './upstream.ts';

const read = (text: string): unknown => {
  const scanner = new LiteralScanner(text);
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
  ['new Date(1796000000000)', 1_796_000_000_000],
  ['new  Date ( -1 )', -1],
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
  'new Date()',
  'new Date(1,2)',
  'new Date("1")',
  'new Date(0.5)',
  'new Date(a())',
  'new Map(0)',
  'new',
  'Date(0)',
  'alert(1)',
  '1n',
  '01a',
  '(1)',
  '`x`',
  '/x/',
  '[',
  '['.repeat(40),
])('literal() refuses %j', (text) => {
  expect(() => read(text)).toThrow(LiteralError);
});

/** A value, or the error, in a form that shows every difference but that of prototypes. */
function outcome(scanner: { readonly offset: number; literal(): Literal }): unknown {
  try {
    return { value: entriesOf(scanner.literal()), offset: scanner.offset };
  } catch (error) {
    if (!(error instanceof LiteralError)) throw error;
    return { expected: error.expected, at: error.offset };
  }
}

function entriesOf(value: unknown): unknown {
  if (Array.isArray(value)) return { list: value.map(entriesOf) };
  if (typeof value !== 'object' || value === null) return value;
  return { record: Object.entries(value).map(([key, field]) => [key, entriesOf(field)]) };
}

function expectEqualOutcomes(text: string): void {
  // Only the scanner knows lines that begin with two slashes.
  fc.pre(!text.includes('//'));
  expect(outcome(new LiteralScanner(text)), text).toEqual(outcome(createPatternScanner(text)));
}

// Pieces of literals in any order: most are wrong somewhere, at any of the scanner's branches.
const pieces = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    "'",
    '-',
    '+',
    '.',
    '0',
    '1',
    '9',
    '15',
    '1e5',
    '1E-3',
    'e',
  ],
  ...[
    '2.5',
    '.5',
    '5.',
    '1234567890123456',
    '9007199254740993',
    '0012',
    'a',
    '$x',
    '_',
    '__proto__',
  ],
  ...[
    'true',
    'false',
    'null',
    'undefined',
    'nul',
    ' ',
    '\n',
    '\t',
    '\u00a0',
    '\ufeff',
    '\u2028',
    'é',
  ],
  ...[
    '\\',
    '\\n',
    '\\u00E1',
    '\\u00e',
    '\\x41',
    '\\xg1',
    '\\0',
    '\\01',
    '\\8',
    '\\\n',
    '\\\u2028',
    '/',
  ],
  ...['[1,', '{a:', '"b":', "'c':", '"",', '{}', '[]', '"it\'s"'],
];

test('literal() gives what patterns give: values, offsets, and errors', () => {
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join(''));
  fc.assert(fc.property(text, expectEqualOutcomes), { numRuns: runs(3000) });
});

test('literal() gives what patterns give for an answer with one edit', () => {
  const script = new TextDecoder().decode(fixture('renfe'));
  const answer = script.slice(script.indexOf('{listado'), script.lastIndexOf(');'));
  const at = fc.nat({ max: answer.length });
  fc.assert(
    fc.property(at, fc.nat({ max: 5 }), fc.constantFrom('', ...pieces), (from, length, piece) =>
      expectEqualOutcomes(answer.slice(0, from) + piece + answer.slice(from + length)),
    ),
    { numRuns: runs(1000) },
  );
});

test('readDwrReply() skips lines that begin with two slashes, and no others', () => {
  const reply = (lines: string, value = '"x"') =>
    `(function(){\nvar r=window.dwr._[0];\n${lines}r.handleCallback("0","1",${value});\n})();`;
  for (const lines of ['//#DWR-INSERT\n//#DWR-REPLY\n', '//\r\n', '//a\u2028//b\u2029'])
    expect(readDwrReply(reply(lines))).toEqual({ kind: 'callback', value: 'x' });
  expect(readDwrReply(`//first\n${reply('')}`)).toEqual({ kind: 'callback', value: 'x' });
  expect(readDwrReply(reply('', '"a\u2028//b"'))).toEqual({
    kind: 'callback',
    value: 'a\u2028//b',
  });
  for (const lines of [' //x\n', '/x\n', '//x'])
    expect(() => readDwrReply(reply(lines))).toThrow(LiteralError);
});
