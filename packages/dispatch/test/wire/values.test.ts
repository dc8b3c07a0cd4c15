import { expect, test } from 'vitest';
import { isRawJson, isTransferred, rawJson, transferred } from '../../src/task-results.ts';

test('rawJson() writes the value at the call', () => {
  const value = { price: 5 };
  const raw = rawJson(value);
  value.price = 6;
  expect(Buffer.from(raw.bytes).toString()).toBe('{"price":5}');
  expect(isRawJson(raw)).toBe(true);
});

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['a function', (): void => {}],
  ['Symbol(x)', Symbol('x')],
])('rawJson() throws a TypeError for %s', (got, value) => {
  expect(() => rawJson(value)).toThrow(
    new TypeError(`Cannot make raw JSON: \`value\` must be one that JSON can write, got ${got}`),
  );
});

test('rawJson() throws the TypeError of JSON for a bigint and a cycle', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  expect(() => rawJson(1n)).toThrow(TypeError);
  expect(() => rawJson(cycle)).toThrow(TypeError);
});

test('isRawJson() refuses what only looks like it', () => {
  expect(isRawJson({ kind: 'ticketing.raw-json', bytes: '{}' })).toBe(false);
  expect(isRawJson(null)).toBe(false);
});

test('transferred() marks a value with the buffers that it takes along', () => {
  const bytes = new Uint8Array(8);
  const marked = transferred({ bytes }, [bytes.buffer]);
  expect(marked.value.bytes).toBe(bytes);
  expect(marked.transfer).toEqual([bytes.buffer]);
  expect(isTransferred(marked)).toBe(true);
  expect(isTransferred({ kind: 'ticketing.transferred' })).toBe(false);
});

test("transferred() refuses Node's shared pool, where the result may be with others", () => {
  const bytes = Buffer.from('in the pool');
  expect(() => transferred(bytes, [bytes.buffer])).toThrow(
    "Cannot mark buffers to transfer: `transfer` must have buffers that can be moved, got Node's shared pool",
  );
});

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['[a Uint8Array of 1 byte]', [new Uint8Array(1)]],
])('transferred() throws a TypeError for %s instead of buffers', (got, transfer) => {
  expect(() => transferred(1, transfer as ArrayBuffer[])).toThrow(
    new TypeError(
      `Cannot mark buffers to transfer: \`transfer\` must be an array of ArrayBuffers and MessagePorts, got ${got}`,
    ),
  );
});
