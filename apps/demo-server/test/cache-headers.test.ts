import { expect, test } from 'vitest';
import { cacheHeaders } from '../src/http/cache-headers.ts';

const NOW = 1_800_000_000_000;
const cache = { freshMs: 60_000, staleMs: 300_000 };
const keep = { freshMs: 60_000, staleMs: 540_000 };
const fresh = { carriers: [{}], complete: true };
const given = { cache, keep: undefined, isLasting: true, nowMs: NOW };
const kept = (...ages: (number | undefined)[]) => ({
  carriers: ages.map((ageMs) => (ageMs === undefined ? {} : { ageMs })),
  complete: true,
});

test.each([
  [
    'of carriers that were asked',
    fresh,
    given,
    { 'cache-control': 'public, max-age=60, stale-while-revalidate=300' },
  ],
  [
    'kept for a while: the oldest counts, and nginx gets what is left',
    kept(undefined, 20_900, 500),
    given,
    {
      'cache-control': 'public, max-age=60, stale-while-revalidate=300',
      age: '20',
      'x-accel-expires': '39',
    },
  ],
  [
    'kept just now',
    kept(400),
    given,
    { 'cache-control': 'public, max-age=60, stale-while-revalidate=300', age: '0' },
  ],
  [
    'older than caches may keep it',
    kept(59_001),
    given,
    { 'cache-control': 'no-store', age: '59' },
  ],
  ['stale', kept(200_000), given, { 'cache-control': 'no-store', age: '200' }],
  ['partial', { ...fresh, complete: false }, given, { 'cache-control': 'no-store' }],
  [
    'partial and kept',
    { ...kept(90_000), complete: false },
    given,
    { 'cache-control': 'no-store', age: '90' },
  ],
  [
    'of a question that has another meaning tomorrow',
    fresh,
    { ...given, isLasting: false },
    { 'cache-control': 'no-store' },
  ],
  [
    'without --http-cache',
    kept(5000),
    { ...given, cache: undefined },
    { 'cache-control': 'no-store', age: '5' },
  ],
  [
    'not beyond the time for which answers are fresh here',
    fresh,
    { ...given, keep: { freshMs: 10_000, staleMs: 20_000 } },
    { 'cache-control': 'public, max-age=10, stale-while-revalidate=20' },
  ],
  [
    'with longer times here',
    fresh,
    { ...given, keep },
    { 'cache-control': 'public, max-age=60, stale-while-revalidate=300' },
  ],
  [
    'with an offer that ends while it is stale',
    { ...fresh, validUntil: NOW + 100_000 },
    given,
    { 'cache-control': 'public, max-age=60, stale-while-revalidate=40' },
  ],
  [
    'kept, with an offer that ends while it is fresh',
    { ...kept(10_000), validUntil: NOW + 20_000 },
    given,
    { 'cache-control': 'public, max-age=30', age: '10', 'x-accel-expires': '20' },
  ],
  [
    'with an offer that has ended',
    { ...fresh, validUntil: NOW - 1 },
    given,
    { 'cache-control': 'no-store' },
  ],
] as const)('an answer %s', (_, document, context, expected) => {
  expect(cacheHeaders(document, context)).toEqual(expected);
});
