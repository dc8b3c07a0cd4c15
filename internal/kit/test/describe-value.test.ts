import { expect, test } from 'vitest';
import { describeValue } from '../src/options/describe-value.ts';

const looped: unknown[] = [];
looped.push(looped);

test.each<[unknown, string]>([
  [[], '[]'],
  [[0, 0, 0, 0], '[0, 0, 0, 0]'],
  [Array.from({ length: 100_000 }, () => 0), `[${'0, '.repeat(18)}0,...`],
  [looped, '[[a list]]'],
  [[{ a: 1 }, [1], 'b'], '[an object with a, [1], b]'],
  [{}, '{}'],
  [{ a: 1, b: 2 }, 'an object with a, b'],
  [Object.create(null), '{}'],
  [new Uint8Array(4), 'a Uint8Array of 4 bytes'],
  [new ArrayBuffer(4), 'an ArrayBuffer of 4 bytes'],
  [Buffer.from('abc'), 'a Buffer of 3 bytes'],
  [() => 1, 'a function'],
  [new Map(), '[object Map]'],
  [new Error('no'), 'Error: no'],
  [undefined, 'undefined'],
  [null, 'null'],
  [5n, '5'],
  ['a text', 'a text'],
  [Symbol('s'), 'Symbol(s)'],
])('describeValue() of %o', (value, text) => {
  expect(describeValue(value)).toBe(text);
});

test('describeValue() knows modules, and never throws', async () => {
  expect(describeValue(await import('../src/options/describe-value.ts'))).toBe('a module');
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(describeValue(proxy)).toBe('an object without text');
});
