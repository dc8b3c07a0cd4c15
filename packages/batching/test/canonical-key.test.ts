import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { canonicalKey } from '../src/canonical-key.ts';

const bytes = [1, 2, 3, 4, 5, 6, 7, 8];

// Each row differs from every other.
const distinct: readonly (readonly [string, unknown[]])[] = [
  ['no part', []],
  ['undefined', [undefined]],
  ['undefined twice', [undefined, undefined]],
  ['null', [null]],
  ['true', [true]],
  ['false', [false]],
  ['0', [0]],
  ['1', [1]],
  ['1n', [1n]],
  ["'1'", ['1']],
  ["'true'", ['true']],
  ["''", ['']],
  ['two parts', ['a', 'b']],
  ['their concatenation', ['ab']],
  ['text that forges two parts', ['as1:b']],
  ['text that forges a string', ['s1:a']],
  ['NaN', [Number.NaN]],
  ['Infinity', [Number.POSITIVE_INFINITY]],
  ['an array of two', [['a', 'b']]],
  ['nested arrays', [[['a'], 'b']]],
  ['nested otherwise', [[['a', 'b']]]],
  ['an empty array', [[]]],
  ['an array of undefined', [[undefined]]],
  ['an empty object', [{}]],
  ['a field of null', [{ a: null }]],
  ['a field', [{ a: 1 }]],
  ['a nested field', [{ a: { a: 1 } }]],
  ['a field named like two', [{ 'a:1,b': 1 }]],
  ['two fields', [{ a: 1, b: 1 }]],
  ['fields like array elements', [{ 0: 'a', 1: 'b' }]],
  ['own __proto__', [JSON.parse('{"__proto__":1}')]],
  ['constructor', [{ constructor: 1 }]],
  ['a field by symbol', [{ [Symbol.for('a')]: 1 }]],
  ['an empty Map', [new Map()]],
  ['a Map', [new Map([['a', 1]])]],
  ['a Map of entries swapped', [new Map([[1, 'a']])]],
  ['an empty Set', [new Set()]],
  ['a Set', [new Set(['a', 1])]],
  ['a Set of a list', [new Set([['a', 1]])]],
  ['a Date', [new Date(1)]],
  ['another Date', [new Date(2)]],
  ['its text', [new Date(1).toISOString()]],
  ['a RegExp', [/a/]],
  ['its flags', [/a/g]],
  ['its text', ['/a/']],
  ['a URL', [new URL('https://example.org/a')]],
  ['its href', ['https://example.org/a']],
  ['a registered symbol', [Symbol.for('a')]],
  ['an Uint8Array', [new Uint8Array(bytes)]],
  ['an Uint8ClampedArray', [new Uint8ClampedArray(bytes)]],
  ['an Int8Array', [new Int8Array(bytes)]],
  ['a Float64Array', [new Float64Array(new Uint8Array(bytes).buffer)]],
  ['a Buffer', [Buffer.from(bytes)]],
  ['a longer Buffer', [Buffer.from([...bytes, 0])]],
  ['an ArrayBuffer', [new Uint8Array(bytes).buffer]],
  ['a SharedArrayBuffer', [new SharedArrayBuffer(8)]],
];

test('canonicalKey() has different texts for different values', () => {
  const owners = new Map<string, string>();
  for (const [label, parts] of distinct) {
    const key = canonicalKey(...parts);
    expect(`${label} = ${owners.get(key) ?? label}`).toBe(`${label} = ${label}`);
    owners.set(key, label);
  }
});

test.each<[string, unknown, unknown]>([
  ['-0 and 0', -0, 0],
  ['NaN and NaN', [Number.NaN], [Number.NaN]],
  ['a field of undefined and none', { a: undefined, b: 1 }, { b: 1 }],
  ['the order of fields', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
  ['no prototype and a plain object', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ['a plain object of another realm', runInNewContext('({ a: [1] })'), { a: [1] }],
  ['a Map of another realm', runInNewContext('new Map([[1, 2]])'), new Map([[1, 2]])],
  ['a hole and undefined', new Array(1), [undefined]],
  [
    'the order of a Map',
    new Map<unknown, unknown>([
      [{ a: 1 }, 1],
      ['b', 2],
    ]),
    new Map<unknown, unknown>([
      ['b', 2],
      [{ a: 1 }, 1],
    ]),
  ],
  ['the order of a Set', new Set([1, '1', [1]]), new Set([[1], 1, '1'])],
  ['a view and a copy', new Uint8Array([0, ...bytes]).subarray(1), new Uint8Array(bytes)],
  ['a Buffer from the pool', Buffer.from('abc'), Buffer.from(new Uint8Array([97, 98, 99]))],
  ['a RegExp by its flags', /a/gi, /a/gi],
  ['a field not enumerable and none', Object.defineProperty({}, 'a', { value: 1 }), {}],
])('canonicalKey() takes as equal: %s', (_label, one, other) => {
  expect(canonicalKey(one)).toBe(canonicalKey(other));
});

test('canonicalKey() takes what is reached twice, without a cycle, as two', () => {
  const shared = { id: 1 };
  expect(canonicalKey([shared, shared])).toBe(canonicalKey([{ id: 1 }, { id: 1 }]));
});

test('canonicalKey() reads each getter once, and calls no toJSON or valueOf', () => {
  let reads = 0;
  const value = {
    get id() {
      return ++reads;
    },
    toJSON: undefined,
  };
  expect(canonicalKey(value)).toBe(canonicalKey({ id: 1 }));
  expect(reads).toBe(1);
  expect(() => canonicalKey({ valueOf: () => 1 })).toThrow(TypeError);
});

class Money {
  amount = 1;
}
const cycle: { self?: unknown[] } = {};
cycle.self = [cycle];

test.each<[unknown, string]>([
  [function load() {}, '`[0]` must be data, got function load'],
  [{ user: { load: () => 1 } }, '`[0].user.load` must be data, got function load'],
  [
    [
      1,
      [
        (
          () => () =>
            1
        )(),
      ],
    ],
    '`[0][1][0]` must be data, got function without a name',
  ],
  [Promise.resolve(1), '`[0]` must be data, got an instance of Promise'],
  [{ a: new WeakMap() }, '`[0].a` must be data, got an instance of WeakMap'],
  [new Money(), '`[0]` must be data, got an instance of Money'],
  [Object.create({ a: 1 }), '`[0]` must be data, got an object with a prototype of its own'],
  [
    Object.create(Object.create(null)),
    '`[0]` must be data, got an object with a prototype of its own',
  ],
  [new (class Names extends Map {})(), '`[0]` must be data, got an instance of Names'],
  [new (class Names extends Array {})(), '`[0]` must be data, got an instance of Names'],
  [new (class Bytes extends Uint8Array {})(), '`[0]` must be data, got an instance of Bytes'],
  [new Error('no'), '`[0]` must be data, got an instance of Error'],
  [new URLSearchParams('a=1'), '`[0]` must be data, got an instance of URLSearchParams'],
  [{ at: new Date('no') }, '`[0].at` must be a valid Date, got an invalid one'],
  [Object('a'), '`[0]` must be a primitive, got a boxed a'],
  [[Object(1n)], '`[0][0]` must be a primitive, got a boxed 1'],
  [Object(Symbol('a')), '`[0]` must be a primitive, got a boxed Symbol(a)'],
  [Symbol('a'), '`[0]` must be a symbol made by Symbol.for, got Symbol(a)'],
  [Symbol.iterator, '`[0]` must be a symbol made by Symbol.for, got Symbol(Symbol.iterator)'],
  [{ [Symbol('a')]: 1 }, '`[0]` must be a symbol made by Symbol.for, got Symbol(a)'],
  [cycle, '`[0].self[0]` must be data without cycles, got an object that holds it'],
  [
    new Map([['a', cycle]]),
    '`[0].value.self[0]` must be data without cycles, got an object that holds it',
  ],
  [new Map([[Symbol('a'), 1]]), '`[0].key` must be a symbol made by Symbol.for, got Symbol(a)'],
  [new Set([new Money()]), '`[0].entry` must be data, got an instance of Money'],
])('canonicalKey() refuses %o', (value, message) => {
  expect(() => canonicalKey(value)).toThrow(new TypeError(`Cannot make key: ${message}`));
});

test('canonicalKey() names the part that it refuses', () => {
  expect(() => canonicalKey('user', { id: () => 7 })).toThrow(
    new TypeError('Cannot make key: `[1].id` must be data, got function id'),
  );
});

test('canonicalKey() goes 500 levels deep', () => {
  const nest = (levels: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level++) value = [value];
    return value;
  };
  expect(canonicalKey(nest(500))).not.toBe(canonicalKey(nest(499)));
  expect(() => canonicalKey(nest(501))).toThrow(
    new RangeError('Cannot make key: data must be nested at most 500 levels deep, got more'),
  );
});
