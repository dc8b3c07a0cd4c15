import { isDeepStrictEqual } from 'node:util';
import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonKeeps } from '../../src/wire/json-keeps.ts';
import { channels, inputs } from '../wire-fixture.ts';

/** Any character; the unit `binary` of fast-check takes a second to be made. */
const character = fc
  .oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

const leaf = fc.oneof(
  fc.string({ unit: character }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.bigInt(),
  fc.constantFrom(undefined, null, Number.NaN, -0, 0, Number.POSITIVE_INFINITY, '', 1e21, 5e-324),
  fc.date({ noInvalidDate: false }),
  fc.uint8Array(),
  fc.float64Array(),
  fc.bigInt64Array(),
  fc.constantFrom(/a+/gi, new Error('x'), Object(1), new ArrayBuffer(3)),
);

const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'toJSON', 'constructor', '1', 'a'));

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('tree'), { maxLength: 5 }),
    fc.sparseArray(tie('tree'), { maxLength: 8 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 5 }),
    fc.array(fc.tuple(tie('tree'), tie('tree')), { maxLength: 3 }).map((pairs) => new Map(pairs)),
    fc.array(tie('tree'), { maxLength: 3 }).map((members) => new Set(members)),
    // The same object twice, and one that holds itself.
    tie('tree').map((value) => [value, { again: value }]),
    fc.tuple(tie('tree'), tie('tree')).map(([one, other]) => {
      const cycle: Record<string, unknown> = { one, other };
      cycle['self'] = cycle;
      return cycle;
    }),
    // A list with a name, as a match of a regular expression.
    fc.tuple(tie('tree'), tie('tree')).map(([one, named]) => Object.assign([one], { named })),
  ),
}));

/** At which place each object is met again: the shape of sharing, which deep equality does not see. */
function meetings(root: unknown): number[] {
  const places = new Map<object, number>();
  const found: number[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const place = places.get(value);
    found.push(place ?? -1);
    if (place !== undefined) return;
    places.set(value, places.size);
    if (value instanceof Map) for (const pair of value) pair.forEach(visit);
    else if (value instanceof Set) value.forEach(visit);
    else if (!ArrayBuffer.isView(value)) Object.values(value).forEach(visit);
  };
  visit(root);
  return found;
}

function expectSame(actual: unknown, value: unknown): void {
  const expected: unknown = structuredClone(value);
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toStrictEqual(expected);
  expect(meetings(actual)).toEqual(meetings(expected));
}

const RUNS = scaled({ fast: 30, full: 500 });

describe.each(channels)('over the channel of %s', (_name, channel) => {
  test('each input of a batch arrives as a structured clone of its own', () => {
    fc.assert(
      fc.property(fc.array(tree, { minLength: 1, maxLength: 4 }), (values) => {
        const arrived = inputs(values, channel);
        expect(arrived).toHaveLength(values.length);
        for (const [index, value] of values.entries()) expectSame(arrived[index], value);
      }),
      { numRuns: RUNS },
    );
  });

  test('whatever fast-check knows arrives as a structured clone', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    fc.assert(
      fc.property(anything, (value) => expectSame(inputs([value], channel)[0], value)),
      { numRuns: RUNS },
    );
  });
});

test('jsonKeeps() is true only for what JSON gives back as structured clone would', () => {
  let kept = 0;
  fc.assert(
    fc.property(fc.oneof(tree, fc.jsonValue()), (value) => {
      if (!jsonKeeps(value)) return;
      kept += 1;
      expectSame(JSON.parse(JSON.stringify(value)), value);
    }),
    { numRuns: 2 * RUNS },
  );
  expect(kept).toBeGreaterThan(RUNS / 3);
});

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

test('jsonKeeps() is true for plain data, with and without a prototype', () => {
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
