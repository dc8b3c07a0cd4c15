import { expect, test } from 'vitest';
import { createCarriersSign, createQueueSign } from '../src/overload/in-flight-limit.ts';

test('createQueueSign() reads how long the last task in the queue will wait, at the pace of the answers', () => {
  let now = 0;
  let counts = { queued: 0, running: 0, completed: 0, failed: 0 };
  const sign = createQueueSign(
    () => counts,
    () => now,
  );
  expect(sign.read()).toBe(0);
  now = 101;
  counts = { queued: 50, running: 2, completed: 8, failed: 2 };
  expect(sign.read()).toBeCloseTo(500);
  now = 201;
  counts = { queued: 0, running: 0, completed: 62, failed: 2 };
  expect(sign.read()).toBe(0);
});

test('createCarriersSign(): one carrier that hangs says nothing, all that are late say that there is too much to do', () => {
  const sign = createCarriersSign(2000, () => 0);
  expect(sign.read()).toBe(0);
  sign.note('avlo', 20);
  sign.note('renfe', 100);
  expect(sign.read()).toBeCloseTo(20 / 200);
  for (let round = 0; round < 50; round++) sign.note('renfe', 2000);
  expect(sign.read()).toBeCloseTo(20 / 200);
  for (let round = 0; round < 50; round++) sign.note('avlo', 400);
  expect(sign.read()).toBeCloseTo(2);
});

test('createCarriersSign(): carriers that are slow for good are not late, up to half of the deadline', () => {
  let now = 0;
  const sign = createCarriersSign(2000, () => now);
  sign.note('avlo', 20);
  for (const at of [30_000, 60_000, 90_000]) {
    now = at;
    for (let round = 0; round < 50; round++) sign.note('avlo', 300);
    sign.read();
  }
  expect(sign.read()).toBeCloseTo(300 / 900);
  for (let round = 0; round < 50; round++) sign.note('avlo', 1500);
  expect(sign.read()).toBeCloseTo(1500 / 900);
});

test('createCarriersSign(): what was not asked for a second says nothing', () => {
  let now = 0;
  const sign = createCarriersSign(2000, () => now);
  sign.note('avlo', 1500);
  expect(sign.read()).toBeCloseTo(1.5);
  now = 1000;
  expect(sign.read()).toBe(0);
});
