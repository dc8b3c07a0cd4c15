import { setTimeout as after } from 'node:timers/promises';
import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { watchEventLoop } from '../src/index.ts';
import { hold } from './hold.ts';

test('watchEventLoop() reports a loop that was held for a tenth of a second', async () => {
  let lateMs = 0;
  const watch = watchEventLoop((averageMs) => {
    lateMs = Math.max(lateMs, averageMs);
  });
  try {
    await after(20);
    hold(100);
    // The window that has it closes within two seconds.
    await until(() => watch.stats().delay.maxMs > 80 && lateMs > 10);
    expect(watch.stats().utilisation).toBeGreaterThan(0);
  } finally {
    watch.close();
  }
});

test('arrivedAt() is before a hold of the loop for what is read after it, and now while the loop is idle', async () => {
  const watch = watchEventLoop();
  try {
    await after(20);
    const heldAt = performance.now();
    hold(100);
    expect(watch.arrivedAt()).toBeLessThan(heldAt + 20);
    await until(() => watch.arrivedAt() > heldAt + 100);
  } finally {
    watch.close();
  }
});

test('arrivedAt() forgets short holds: what is read now has not waited for all of them', async () => {
  const watch = watchEventLoop();
  try {
    for (let round = 0; round < 40; round++) {
      hold(5);
      await after(0);
    }
    await until(() => performance.now() - watch.arrivedAt() < 100);
  } finally {
    watch.close();
  }
});

test('after close() nothing is late, and requests arrive when they are read', () => {
  const watch = watchEventLoop();
  watch.close();
  const heldAt = performance.now();
  hold(50);
  expect(watch.arrivedAt()).toBeGreaterThanOrEqual(heldAt + 50);
  expect(watch.lateMs()).toBe(0);
});
