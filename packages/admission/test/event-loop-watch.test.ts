import { setTimeout as after } from 'node:timers/promises';
import { until } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
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

test('arrivedAt() is before a hold of the loop for bytes that are read after it, and now while the loop is idle', async () => {
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

test('arrivedAt() forgets short holds: bytes that are read now have not waited for all of them', async () => {
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

/** Runs a watch on a clock of the test, of which each tick is late by some milliseconds. */
function watchedClock(onLate?: (lateMs: number) => void) {
  let [now, idleMs] = [0, 0];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.spyOn(performance.nodeTiming, 'idleTime', 'get').mockImplementation(() => idleMs);
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  const watch = watchEventLoop(onLate);
  return {
    watch,
    idle(ms: number) {
      now += ms;
      idleMs += ms;
    },
    work(ms: number) {
      now += ms;
    },
    /** The next tick, so late. */
    tick(lateMs = 0) {
      now += 10 + lateMs;
      vi.advanceTimersToNextTimer();
    },
    immediate: () => vi.advanceTimersToNextTimer(),
  };
}

test('watchEventLoop() reports the average lateness every tenth of a second', () => {
  const reports: number[] = [];
  const { tick } = watchedClock((lateMs) => reports.push(lateMs));
  for (let tenth = 0; tenth < 9; tenth++) tick();
  expect(reports).toEqual([]);
  tick();
  expect(reports).toEqual([0]);
  // Of 5 and 95 ms.
  tick(5);
  tick(8);
  expect(reports).toEqual([0]);
  for (let tenth = 0; tenth < 7; tenth++) tick(1);
  expect(reports).toEqual([0, expect.closeTo(20 / 9)]);
});

test('watchEventLoop() has the lateness of the last whole second', () => {
  const { watch, tick } = watchedClock();
  for (let tick10 = 0; tick10 < 94; tick10++) tick();
  tick(9);
  tick(9.5);
  expect(watch.stats().delay).toEqual({ p50Ms: 0, p99Ms: 0, maxMs: 0 });
  for (let tick10 = 0; tick10 < 5; tick10++) tick();
  const { delay } = watch.stats();
  expect(delay).toMatchObject({ p50Ms: 0, maxMs: 9.5 });
  expect(delay.p99Ms).toBeCloseTo(9, 1);
});

test('lateMs() grows with the time for which the timer is due', () => {
  const { watch, work } = watchedClock();
  work(10);
  expect(watch.lateMs()).toBe(0);
  work(30);
  expect(watch.lateMs()).toBe(30);
});

test('arrivedAt() is now while the loop is idle, the begin of its work while it works, and the due time of a late timer', () => {
  const { watch, idle, work, tick, immediate } = watchedClock();
  idle(5);
  expect(watch.arrivedAt()).toBe(5);
  work(3);
  expect(watch.arrivedAt()).toBe(5);
  tick();
  expect(watch.arrivedAt()).toBe(18);
  tick(50);
  // The timer was due at 28; now it is 78.
  expect(watch.arrivedAt()).toBe(28);
  immediate();
  expect(watch.arrivedAt()).toBe(78);
});
