import { expect, test } from 'vitest';
import { createLoadMeter } from '../../src/worker/load-meter.ts';

test('time in which an event loop only polled counts as idle', () => {
  let loop = { idle: 100, active: 50 };
  let polledMs = 7;
  const read = createLoadMeter({
    memoryBytes: () => 12,
    polledMs: () => polledMs,
    utilization: () => loop,
  });
  const now = performance.now() + 1000;
  loop = { idle: 110, active: 80 };
  polledMs = 27;
  expect(read(now)).toMatchObject({ elapsedMs: 40, activeMs: 10, memoryBytes: 12 });
  expect(read(now + 19)).toBeUndefined();
  loop = { idle: 110, active: 100 };
  // Begun before the last reading, as polled time is added when a wait ends.
  polledMs = 50;
  expect(read(now + 20)).toMatchObject({ elapsedMs: 20, activeMs: 0 });
});

test('a runtime that does not measure its event loop has a meter of memory alone', () => {
  const measure = performance.eventLoopUtilization;
  Object.assign(performance, { eventLoopUtilization: undefined });
  try {
    const read = createLoadMeter({ memoryBytes: () => 7, polledMs: () => 0 });
    expect(read(performance.now() + 100)).toMatchObject({
      elapsedMs: 0,
      activeMs: 0,
      memoryBytes: 7,
    });
  } finally {
    Object.assign(performance, { eventLoopUtilization: measure });
  }
});
