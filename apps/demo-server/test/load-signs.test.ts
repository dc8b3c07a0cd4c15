import { expect, test } from 'vitest';
import { createCarriersSign, createQueueSign } from '../src/overload/load-signs.ts';

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

const status = (state: 'ok' | 'empty' | 'timeout' | 'rejected-busy', ms: number) => ({ state, ms });

test('createCarriersSign(): one carrier that hangs says nothing, all that are late say that there is too much to do', () => {
  const sign = createCarriersSign(2000, () => 0);
  sign.note([status('ok', 20), status('timeout', 2000), status('empty', 60)]);
  expect(sign.read()).toBeCloseTo(20 / 500);
  sign.note([status('ok', 1000), status('timeout', 2000)]);
  expect(sign.read()).toBeCloseTo(2);
  // Until another search has ended nothing new is known.
  expect(sign.read()).toBeCloseTo(2);
  sign.note([status('rejected-busy', 0), status('timeout', 2000)]);
  expect(sign.read()).toBeCloseTo(4);
  sign.note([status('rejected-busy', 0)]);
  expect(sign.read()).toBeCloseTo(4);
});

test('createCarriersSign(): carriers that are slow for good are not late, up to half of the deadline', () => {
  let now = 0;
  const sign = createCarriersSign(2000, () => now);
  sign.note([status('ok', 20)]);
  sign.read();
  for (const at of [30_000, 60_000]) {
    sign.note([status('ok', 400)]);
    now = at;
    sign.read();
  }
  sign.note([status('ok', 900)]);
  expect(sign.read()).toBeCloseTo(900 / 1000);
});
