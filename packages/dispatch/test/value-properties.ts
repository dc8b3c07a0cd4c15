import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonKeeps } from '../src/wire/json-keeps.ts';
import { channels, inputs } from './wire-fixture.ts';

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

/** What holds whatever the value, tried so often. */
export function testValueProperties({ numRuns }: { readonly numRuns: number }): void {
  describe.each(channels)('over the channel of %s', (_name, channel) => {
    test('each input of a batch arrives as a structured clone of its own', () => {
      fc.assert(
        fc.property(fc.array(tree, { minLength: 1, maxLength: 4 }), (values) => {
          const arrived = inputs(values, channel);
          expect(arrived).toHaveLength(values.length);
          for (const [index, value] of values.entries()) expectSame(arrived[index], value);
        }),
        { numRuns },
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
        { numRuns },
      );
    });
  });

  test('jsonKeeps() says yes only to what JSON gives back as structured clone would', () => {
    let kept = 0;
    fc.assert(
      fc.property(fc.oneof(tree, fc.jsonValue()), (value) => {
        if (!jsonKeeps(value)) return;
        kept += 1;
        expectSame(JSON.parse(JSON.stringify(value)), value);
      }),
      { numRuns: 2 * numRuns },
    );
    expect(kept).toBeGreaterThan(numRuns / 3);
  });
}
