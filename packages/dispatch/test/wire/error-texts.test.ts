import { expect, test } from 'vitest';
import { firstLineOf, saysNotCloneable, saysUnknown, whyEnded } from '../../src/error-texts.ts';

test.each<[unknown, string]>([
  [new Error("Cannot find module '/a.js'\nRequire stack:\n- /b.js"), "Cannot find module '/a.js'"],
  [new TypeError(''), 'TypeError'],
  [new Error('It ends with a stop.'), 'It ends with a stop'],
  ['a text', 'a text'],
  [undefined, 'undefined'],
  [Object.create(null), 'an object without text'],
])('firstLineOf() says what %s says first', (error, line) => {
  expect(firstLineOf(error)).toBe(line);
});

test('firstLineOf() takes 300 characters at most', () => {
  expect(firstLineOf(new Error('x'.repeat(301)))).toBe(`${'x'.repeat(297)}...`);
  expect(firstLineOf(new Error('x'.repeat(300)))).toHaveLength(300);
});

test('saysNotCloneable() keeps both ends of a long text, and has words of its own without a cause', () => {
  const of = (cause: unknown, value: unknown = {}) =>
    saysNotCloneable('the result', 'search', { value, cause });
  const start = 'Cannot send the result of task `search`: ';
  expect(of(new Error('() => {\n  call();\n} could not be cloned.'))).toBe(
    `${start}() => { call(); } could not be cloned`,
  );
  const long = of(new Error(`() => {${' call();'.repeat(99)}} could not be cloned.`));
  expect(long).toMatch(/^Cannot send .*\(\) => \{ call.* \.\.\. .* could not be cloned$/);
  expect(long.length).toBeLessThan(200);
  expect(of('no error', 5)).toBe(`${start}5 could not be cloned`);
  expect(of(new Error(''), 'x')).toBe(`${start}x could not be cloned`);
});

test('saysUnknown() suggests the nearest task, or names all', () => {
  const known = ['search', 'price'];
  expect(saysUnknown('serach', known)).toBe(
    'Cannot run task: unknown task `serach`; did you mean `search`?',
  );
  expect(saysUnknown('book', known, ' on host a')).toBe(
    'Cannot run task on host a: unknown task `book`; known are search, price',
  );
});

test.each([
  ['', undefined],
  ['oops\n', 'oops'],
  [
    '(node:7) Warning: old\n(Use `node --trace-warnings`)\n\nSegmentation fault\n',
    'Segmentation fault',
  ],
  [
    'file:///app/entry.js:3\nthrow new Error("x");\n^\n\nError: no configuration.\n    at file:///app/entry.js:3:7\n\nNode.js v26\n',
    'Error: no configuration',
  ],
  [
    'node:internal/modules/cjs/loader:1\n  throw err;\n  ^\n\nTypeError: Cannot read\n    at a\n',
    'TypeError: Cannot read',
  ],
  [
    '<--- Last few GCs --->\n\nFATAL ERROR: Reached heap limit\n',
    'FATAL ERROR: Reached heap limit',
  ],
])('whyEnded(%j) is the line that says why', (stderr, line) => {
  expect(whyEnded(stderr)).toBe(line);
});
