import { expect, test } from 'vitest';
import { createWindow, type Window } from '../../src/kernel/state/worker/window.ts';
import { type SimulatedLoad, simulateWorker } from '../state/simulated-worker.ts';

const auto = { first: 4, max: 64 };
/** Reports until the size stays: at most `most`. */
function settle(window: Window, load: SimulatedLoad, most: number): number {
  const worker = simulateWorker(window);
  for (let report = 0; report < most; report++) window.record(worker.report(load));
  const { size } = window;
  for (let report = 0; report < 20; report++) {
    window.record(worker.report(load));
    expect(Math.abs(window.size - size)).toBeLessThanOrEqual(1 + 0.15 * size);
  }
  return window.size;
}

test.each<[string, SimulatedLoad, number, number]>([
  ['5 µs of CPU', { cpuMs: 0.005, waitMs: 0 }, 64, 64],
  ['0.2 ms of CPU', { cpuMs: 0.2, waitMs: 0 }, 7, 9],
  ['1 ms of CPU', { cpuMs: 1, waitMs: 0 }, 2, 2],
  ['3 ms of CPU', { cpuMs: 3, waitMs: 0 }, 2, 2],
  ['5 ms of CPU', { cpuMs: 5, waitMs: 0 }, 1, 1],
  ['50 ms of CPU', { cpuMs: 50, waitMs: 0 }, 1, 1],
  ['1 ms of CPU and 200 ms of waiting', { cpuMs: 1, waitMs: 200 }, 64, 64],
  // Enough to keep the worker busy, and not all it could get.
  ['1 ms of CPU and 20 ms of waiting', { cpuMs: 1, waitMs: 20 }, 18, 35],
])('tasks of %s', (_, load, least, most) => {
  for (const first of [2, 4, 64]) {
    const size = settle(createWindow('auto', { first, max: 64 }), load, 40);
    expect(size).toBeGreaterThanOrEqual(least);
    expect(size).toBeLessThanOrEqual(most);
  }
});

test('after a change of the load a window adapts within 40 reports, either way', () => {
  const window = createWindow('auto', auto);
  const cpu = { cpuMs: 5, waitMs: 0 };
  for (const [load, size] of [
    [cpu, 1],
    [{ cpuMs: 1, waitMs: 200 }, 64],
    [cpu, 1],
    [{ cpuMs: 0.005, waitMs: 0 }, 64],
    [cpu, 1],
  ] as const) {
    expect(settle(window, load, 40)).toBe(size);
  }
});
