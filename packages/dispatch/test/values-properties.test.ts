import { expect, test } from 'vitest';
import { jsonKeeps } from '../src/wire/json-keeps.ts';
import { testValueProperties } from './value-properties.ts';
import { channels, inputs } from './wire-fixture.ts';

testValueProperties({ numRuns: 30 });

class Point {
  x = 1;
}

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['-0', -0],
  ['NaN', Number.NaN],
  ['a bigint', 1n],
  ['undefined in an object', { a: undefined }],
  ['a hole', new Array(3)],
  ['a named member of an array', Object.assign([1], { index: 0 })],
  ['an array of a class', new (class Other extends Array {})()],
  ['an object of a class', new Point()],
  ['an own toJSON', { toJSON: () => 1 }],
  ['a function', { run: () => 1 }],
  ['a Map', new Map()],
  ['a proxy', new Proxy({}, {})],
  ['an object twice', ((o) => [o, o])({})],
  ['an object twice, late', ((o) => [o, ...Array.from({ length: 40 }, () => ({})), o])({})],
  ['a long text', 'x'.repeat(5000)],
  ['many fractions', Array.from({ length: 300 }, (_, n) => n + 0.5)],
  ['a deep one', JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`)],
])('jsonKeeps() says no to %s', (_name, value) => {
  expect(jsonKeeps(value)).toBe(false);
});

test('jsonKeeps() says yes to plain data, with and without a prototype', () => {
  const bare = Object.assign(Object.create(null), { a: [1, 'x', null, { b: true }] });
  expect(jsonKeeps(bare)).toBe(true);
  expect(jsonKeeps({ [Symbol('passed over by both')]: 1, a: 1 })).toBe(true);
});

test('views of each kind arrive with memory of their own', () => {
  const views = [
    new Int16Array([1, -2]),
    new Float32Array([1.5]),
    new BigUint64Array([1n]),
    new DataView(new ArrayBuffer(16), 4, 8),
    new Uint8Array(new ArrayBuffer(100), 10, 5),
  ];
  for (const [, channel] of channels) {
    const [arrived] = inputs([{ views }], channel) as [{ views: ArrayBufferView[] }];
    expect(arrived.views.map((view) => view.constructor)).toEqual(
      views.map((view) => view.constructor),
    );
    for (const view of arrived.views) expect(view.buffer.byteLength).toBe(view.byteLength);
  }
});
