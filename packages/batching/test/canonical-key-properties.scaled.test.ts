import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalKey } from '../src/canonical-key.ts';

const RUNS = scaled({ fast: 100, full: 10_000 });

/** Equality as `canonicalKey` documents it, written without its encoding. */
function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return Object.is(one, other) || (one === 0 && other === 0);
  }
  const kind = kindOf(one);
  if (kind !== kindOf(other)) return false;
  if (one instanceof Date) return one.getTime() === (other as Date).getTime();
  if (one instanceof Uint8Array) return Buffer.compare(one, other as Uint8Array) === 0;
  if (one instanceof Map) return sameEntries([...one], [...(other as typeof one)]);
  if (one instanceof Set) return sameEntries([...one], [...(other as typeof one)]);
  if (Array.isArray(one)) {
    const list = other as unknown[];
    return one.length === list.length && one.every((item, index) => isEqual(item, list[index]));
  }
  return sameEntries(fieldsOf(one), fieldsOf(other));
}

function kindOf(value: object): string {
  return Buffer.isBuffer(value) ? 'Buffer' : Object.prototype.toString.call(value);
}

function fieldsOf(value: object): unknown[] {
  return Object.entries(value).filter(([, field]) => field !== undefined);
}

function sameEntries(one: readonly unknown[], other: readonly unknown[]): boolean {
  const left = [...other];
  for (const entry of one) {
    const index = left.findIndex((candidate) => isEqual(entry, candidate));
    if (index === -1) return false;
    left.splice(index, 1);
  }
  return left.length === 0;
}

// Few and small values, so that many pairs are equal; texts made of the encoding's own characters.
const leaf = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, true, false, 0, -0, 1, Number.NaN, 1n, -1n),
  fc.constantFrom<unknown>('', '1', 'a', 's1:a', 'd1;', '[', ']', '{}', 'n', 'u', '__proto__'),
  fc.string({ unit: fc.constantFrom('s', '1', ':', ';', 'd', '[', ']', '}'), maxLength: 4 }),
  fc.integer({ min: 0, max: 2 }).map((time) => new Date(time)),
  fc.uint8Array({ maxLength: 1, max: 1 }),
  fc.uint8Array({ maxLength: 1, max: 1 }).map((array) => Buffer.from(array)),
);

const { value: data } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.array(tie('value'), { maxLength: 2 }).map((items) => new Set(items)),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 2 }).map((list) => new Map(list)),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor', 's1:a'), tie('value'), {
      maxKeys: 2,
    }),
  ),
}));

/** The same data with every order turned round that must not count. */
function turned(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(turned);
  if (value instanceof Map) {
    return new Map([...value].reverse().map(([key, entry]) => [turned(key), turned(entry)]));
  }
  if (value instanceof Set) return new Set([...value].reverse().map(turned));
  if (value instanceof Date || value instanceof Uint8Array) return value;
  const copy = Object.create(null);
  for (const [name, field] of Object.entries(value).reverse()) copy[name] = turned(field);
  return copy;
}

test('canonicalKey() is equal if, and only if, the data is, for random pairs', () => {
  // Random pairs alone are seldom equal: in one of a hundred runs of 300 pairs, once at most.
  const pair = fc.oneof({ arbitrary: fc.tuple(data, data), weight: 3 }, fc.clone(data, 2));
  let equal = 0;
  fc.assert(
    fc.property(pair, ([one, other]) => {
      const same = isEqual(one, other);
      if (same) equal += 1;
      return (canonicalKey(one) === canonicalKey(other)) === same;
    }),
    { numRuns: RUNS },
  );
  expect(equal).toBeGreaterThan(RUNS / 10);
});

test('canonicalKey() is equal whatever the order of fields and entries', () => {
  fc.assert(
    fc.property(data, (value) => canonicalKey(value) === canonicalKey(turned(value))),
    { numRuns: RUNS },
  );
});

test('canonicalKey() keeps the borders of its parts', () => {
  const parts = fc.array(data, { maxLength: 3 });
  fc.assert(
    fc.property(
      parts,
      parts,
      (one, other) => (canonicalKey(...one) === canonicalKey(...other)) === isEqual(one, other),
    ),
    { numRuns: RUNS },
  );
});

test('canonicalKey() of any text can be told from that of any other', () => {
  // Any UTF-16 unit, half surrogates too.
  const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));
  const texts = fc.array(fc.string({ unit }), { maxLength: 4 });
  fc.assert(
    fc.property(
      texts,
      texts,
      (one, other) => (canonicalKey(...one) === canonicalKey(...other)) === isEqual(one, other),
    ),
    { numRuns: RUNS },
  );
});
