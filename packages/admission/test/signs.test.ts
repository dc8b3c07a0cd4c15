import { expect, test } from 'vitest';
import { createQueueSign, createUpstreamSign } from '../src/index.ts';

test('createQueueSign() reads how long the last task in the queue will wait, at the pace of the answers', () => {
  let now = 0;
  let counts = { queued: 0, completed: 0, failed: 0 };
  const sign = createQueueSign(
    () => counts,
    () => now,
  );
  expect(sign.read()).toBe(0);
  now = 101;
  counts = { queued: 50, completed: 8, failed: 2 };
  expect(sign.read()).toBeCloseTo(500);
  now = 201;
  counts = { queued: 0, completed: 62, failed: 2 };
  expect(sign.read()).toBe(0);
});

test('createQueueSign() averages the pace while tasks wait, and begins anew when none waits', () => {
  let now = 0;
  let counts = { queued: 0, completed: 0, failed: 0 };
  const sign = createQueueSign(
    () => counts,
    () => now,
  );
  const read = (ms: number, queued: number, completed: number) => {
    now += ms;
    counts = { queued, completed, failed: 0 };
    return sign.read();
  };
  expect(read(100, 10, 100)).toBeCloseTo(10);
  // Three tenths of the latest pace, none, and seven of the one before, one per millisecond.
  expect(read(100, 10, 100)).toBeCloseTo(10 / 0.7);
  expect(read(100, 0, 100)).toBe(0);
  expect(read(100, 10, 200)).toBeCloseTo(10);
  // Two readings at one time are a millisecond apart.
  expect(read(0, 10, 201)).toBeCloseTo(10);
});

test('createUpstreamSign() averages the answers of an upstream; the accepted time is three times its best average', () => {
  const sign = createUpstreamSign(1000, () => 0);
  sign.note('one', 100);
  sign.note('one', 200);
  // The average is 120 ms, and 100 the best.
  expect(sign.read()).toBeCloseTo(120 / 300);
  sign.note('two', 50);
  expect(sign.read()).toBeCloseTo(50 / 150);
});

test('createUpstreamSign(): one that hangs is no sign of load, all that are late are', () => {
  const sign = createUpstreamSign(2000, () => 0);
  expect(sign.read()).toBe(0);
  sign.note('fast', 20);
  sign.note('slow', 100);
  expect(sign.read()).toBeCloseTo(20 / 200);
  for (let round = 0; round < 50; round++) sign.note('slow', 2000);
  expect(sign.read()).toBeCloseTo(20 / 200);
  for (let round = 0; round < 50; round++) sign.note('fast', 400);
  expect(sign.read()).toBeCloseTo(2);
});

test('createUpstreamSign(): upstreams that are slow for good are not late, up to half of the deadline', () => {
  let now = 0;
  const sign = createUpstreamSign(2000, () => now);
  sign.note('fast', 20);
  for (const at of [30_000, 60_000, 90_000]) {
    now = at;
    for (let round = 0; round < 50; round++) sign.note('fast', 300);
    sign.read();
    // The best of the span before still counts.
    if (at === 30_000) expect(sign.read()).toBeCloseTo(300 / 200);
  }
  expect(sign.read()).toBeCloseTo(300 / 900);
  for (let round = 0; round < 50; round++) sign.note('fast', 1500);
  expect(sign.read()).toBeCloseTo(1500 / 900);
});

test('createUpstreamSign(): one that was not asked for a second does not count', () => {
  let now = 0;
  const sign = createUpstreamSign(2000, () => now);
  sign.note('fast', 1500);
  expect(sign.read()).toBeCloseTo(1.5);
  now = 1000;
  expect(sign.read()).toBe(0);
});
