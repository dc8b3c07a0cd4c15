import { expect, test } from 'vitest';
import {
  createInFlightLimit,
  FIRST,
  type InFlightLimit,
  LATE_MS,
  LEAST,
  MOST,
  QUEUE_MS,
} from '../src/in-flight-limit.ts';

const calm = { lateMs: 0, queueMs: 0, upstreamLate: 0 };

function learn(limit: InFlightLimit, times: number, signs: Parameters<InFlightLimit['learn']>[0]) {
  for (let round = 0; round < times; round++) limit.learn(signs);
  return limit.size;
}

test('createInFlightLimit() keeps a number, and has none when it is off', () => {
  const late = { lateMs: 1000, queueMs: 1000, upstreamLate: 9, peak: 7 };
  expect(learn(createInFlightLimit(7), 10, late)).toBe(7);
  expect(learn(createInFlightLimit('off'), 10, late)).toBe(Number.POSITIVE_INFINITY);
});

test.each([
  ['the event loop is late', { ...calm, lateMs: 2 * LATE_MS }],
  ['tasks wait for a worker', { ...calm, queueMs: 2 * QUEUE_MS }],
  ['all upstreams answer late', { ...calm, upstreamLate: 2 }],
])('auto falls while %s, to the least, and is back within a second', (_, signs) => {
  const limit = createInFlightLimit('auto');
  expect(limit.size).toBe(FIRST);
  expect(learn(limit, 1, { ...signs, peak: FIRST })).toBe(Math.round(FIRST * 0.7));
  expect(learn(limit, 20, { ...signs, peak: FIRST })).toBe(LEAST);
  expect(learn(limit, 10, { ...calm, peak: 0 })).toBe(FIRST);
});

test('auto rises while it is reached and nothing is late, as with upstreams that take long', () => {
  const limit = createInFlightLimit('auto');
  for (let round = 0; round < 20; round++) limit.learn({ ...calm, peak: limit.size });
  expect(limit.size).toBeGreaterThan(200);
  for (let round = 0; round < 50; round++) limit.learn({ ...calm, peak: limit.size });
  expect(limit.size).toBe(MOST);
});

test('auto stays while the signs are as late as accepted', () => {
  const limit = createInFlightLimit('auto');
  const accepted = { lateMs: LATE_MS, queueMs: QUEUE_MS, upstreamLate: 1 };
  limit.learn({ ...accepted, peak: FIRST });
  // Half a request is the least growth.
  expect(limit.size).toBe(Math.round(FIRST + 0.5));
});

test('auto keeps twice of what was in use: a flood after a calm finds no old, high limit', () => {
  const limit = createInFlightLimit('auto');
  for (let round = 0; round < 20; round++) limit.learn({ ...calm, peak: limit.size });
  expect(learn(limit, 1, { ...calm, peak: 30 })).toBe(60);
  expect(learn(limit, 1, { ...calm, peak: 0 })).toBe(FIRST);
});

test('auto grows at once up to fourfold of the last sample, unless workers or upstreams showed load; a number never does', () => {
  const limit = createInFlightLimit('auto');
  limit.grow(FIRST + 1);
  expect(limit.size).toBe(FIRST + 1);
  limit.grow(FIRST);
  expect(limit.size).toBe(FIRST + 1);
  limit.grow(1000);
  expect([limit.size, limit.most]).toEqual([4 * FIRST, 4 * FIRST]);
  limit.learn({ ...calm, peak: limit.size });
  expect(limit.most).toBe(4 * limit.size);
  for (const [signs, isCalm] of [
    [{ queueMs: QUEUE_MS }, true],
    [{ queueMs: QUEUE_MS + 1 }, false],
    [{ upstreamLate: 1 }, true],
    [{ upstreamLate: 1.1 }, false],
  ] as const) {
    limit.learn({ ...calm, ...signs, peak: limit.size });
    const { size } = limit;
    expect(limit.most > size).toBe(isCalm);
    limit.grow(size + 1);
    expect(limit.size).toBe(isCalm ? size + 1 : size);
  }
  // A burst makes the event loop late, and ends by itself.
  learn(limit, 20, { ...calm, lateMs: 1000, peak: 0 });
  expect([limit.size, limit.most]).toEqual([LEAST, 4 * FIRST]);
  for (let round = 0; round < 20; round++) {
    limit.learn({ ...calm, peak: limit.size });
    limit.grow(10_000);
  }
  expect(limit.size).toBe(MOST);
  const fixed = createInFlightLimit(7);
  fixed.grow(8);
  expect([fixed.size, fixed.most]).toEqual([7, 7]);
});

test('auto settles where the signs are as wanted, whatever the server can do', () => {
  for (const capacity of [12, 40, 300]) {
    const limit = createInFlightLimit('auto');
    // What is in flight beyond the capacity waits.
    const lateMs = () => Math.max(0, limit.size - capacity) * (LATE_MS / capacity);
    for (let round = 0; round < 60; round++) {
      limit.learn({ ...calm, lateMs: lateMs(), peak: limit.size });
    }
    expect(limit.size).toBeGreaterThan(capacity);
    expect(limit.size).toBeLessThan(capacity * 2.5);
  }
});
