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
  ['null', null],
  ['[a Uint8Array of 1 byte]', [new Uint8Array(1)]],
])('transferred() throws a TypeError for %s instead of buffers', (got, transfer) => {
  expect(() => transferred(1, transfer as ArrayBuffer[])).toThrow(
    new TypeError(
      `Cannot mark buffers to transfer: \`transfer\` must be an array of ArrayBuffers and MessagePorts, got ${got}`,
    ),
  );
});

test.each<[string, ArrayBufferView & { readonly buffer: ArrayBuffer }]>([
  ['a typed array', Float64Array.of(1, 2)],
  ['a DataView', new DataView(new ArrayBuffer(3))],
  ['a Buffer outside the pool', Buffer.alloc(16_384, 1)],
  ['an empty view', new Uint8Array(0)],
])('transferred() without a list moves %s with its buffer', (_, view) => {
  const marked = transferred(view);
  expect(marked.value).toBe(view);
  expect(marked.transfer).toEqual([view.buffer]);
});

test('transferred() without a list moves a buffer and a port', () => {
  const buffer = new ArrayBuffer(2);
  expect(transferred(buffer)).toMatchObject({ value: buffer, transfer: [buffer] });
  const { port1 } = new MessageChannel();
  expect(transferred(port1).transfer).toEqual([port1]);
  port1.close();
});

const shared = Uint16Array.of(1, 2, 3, 4);
test.each<[string, ArrayBufferView]>([
  ['typed array', shared.subarray(1, 3)],
  ['DataView', new DataView(shared.buffer, 2, 4)],
  ['Buffer', Buffer.from(shared.buffer, 2, 4)],
  ['typed array at the beginning', shared.subarray(0, 2)],
  ['part without bytes', shared.subarray(4)],
])('transferred() without a list copies a %s of a part, and moves the copy', (_, view) => {
  const before = [...shared];
  const { value, transfer } = transferred(view);
  expect(value).toStrictEqual(view);
  expect(Object.getPrototypeOf(value)).toBe(Object.getPrototypeOf(view));
  expect(transfer).toEqual([value.buffer]);
  expect(value.buffer).not.toBe(shared.buffer);
  expect(value.buffer.byteLength).toBe(view.byteLength);
  structuredClone(value, { transfer: [value.buffer as ArrayBuffer] });
  expect([...shared]).toEqual(before);
});

test("transferred() without a list leaves other Buffers of Node's pool their bytes", () => {
  const [one, other] = [Buffer.from('one'), Buffer.from('other')];
  const { value, transfer } = transferred(one);
  structuredClone(value, { transfer: [...transfer] });
  expect([one.toString(), other.toString()]).toEqual(['one', 'other']);
  expect(() => transferred(new Uint8Array(Buffer.from('x').buffer))).toThrow('shared pool');
});

test.each<[string, unknown]>([
  ['an object', { bytes: shared }],
  ['a number', 1],
  ['nothing', undefined],
  ['shared memory', new SharedArrayBuffer(1)],
  ['a view of shared memory', new Uint8Array(new SharedArrayBuffer(1))],
])('transferred() without a list throws a TypeError for %s', (_, value) => {
  expect(() => transferred(value as ArrayBuffer)).toThrow(
    /^Cannot mark a value to transfer: `value` must be a typed array, DataView or Buffer of unshared memory, an ArrayBuffer or a MessagePort, if there is no list `transfer`, got /,
  );
});
