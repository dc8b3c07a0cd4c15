import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createWindow,
  type Window,
  type WindowLoad,
} from '../../src/kernel/state/worker/window.ts';

const auto = { first: 4, max: 64 };
/** Neither bytes nor tasks that run side by side. */
const small = { runMs: 0, bytes: 0 };
const idle = { elapsedMs: 100, activeMs: 10, done: 10, starved: true, ...small };

/** Sizes after each of the loads. */
function sizes(window: Window, loads: readonly WindowLoad[]): number[] {
  return loads.map((load) => {
    window.record(load);
    return window.size;
  });
}

test('a number stays', () => {
  const window = createWindow(7, auto);
  expect(sizes(window, [idle, idle, { ...idle, activeMs: 100 }])).toEqual([7, 7, 7]);
});

test('a window begins with the first size, within 2 and the greatest', () => {
  expect(createWindow('auto', auto).size).toBe(4);
  expect(createWindow('auto', { first: 1, max: 64 }).size).toBe(2);
  expect(createWindow('auto', { first: 100, max: 64 }).size).toBe(64);
  expect(createWindow('auto', { first: 1, max: 1 }).size).toBe(1);
});

test('a window grows by half, at least by one, while the worker idles and more is queued', () => {
  const cheapless = { ...idle, done: 0 };
  const window = createWindow('auto', { first: 2, max: 10 });
  expect(sizes(window, [cheapless, cheapless, cheapless, cheapless, cheapless])).toEqual([
    3, 5, 7, 10, 10,
  ]);
});

test('a window does not grow while nothing more is queued', () => {
  const window = createWindow('auto', auto);
  const load = { elapsedMs: 100, activeMs: 10, done: 2, starved: false, ...small };
  expect(sizes(window, [load, load, load])).toEqual([4, 4, 4]);
});

test('a window shrinks by a quarter of the way to 1.5 ms of work while the worker is full', () => {
  const window = createWindow('auto', { first: 34, max: 64 });
  const full = { elapsedMs: 100, activeMs: 100, done: 50, starved: true, ...small };
  expect(sizes(window, [full, full, full])).toEqual([26, 20, 16]);
});

test('a window stays while the worker is neither idle nor full', () => {
  const window = createWindow('auto', { first: 34, max: 64 });
  const load = { elapsedMs: 100, activeMs: 93, done: 20, starved: true, ...small };
  expect(sizes(window, [load, load])).toEqual([34, 34]);
});

test('a window is 1 for tasks of 4 ms, but 2 for a worker without others', () => {
  const load = { elapsedMs: 100, activeMs: 100, done: 25, starved: true, ...small };
  const loads = Array.from({ length: 20 }, () => load);
  expect(sizes(createWindow('auto', auto), loads).at(-1)).toBe(1);
  expect(sizes(createWindow('auto', { ...auto, isSole: () => true }), loads).at(-1)).toBe(2);
});

test('a window is never less than 1.5 ms of work', () => {
  const window = createWindow('auto', auto);
  expect(
    sizes(window, [{ elapsedMs: 100, activeMs: 10, done: 100, starved: false, ...small }]),
  ).toEqual([15]);
});

test('beside what runs, a window holds only what the way to the worker has room for', () => {
  const window = createWindow('auto', { ...auto, bytes: 100_000 });
  const load = { elapsedMs: 100, activeMs: 60, done: 1000, starved: true, runMs: 60 };
  const large = Array.from({ length: 40 }, () => ({ ...load, bytes: 10_000_000 }));
  expect(sizes(window, large).at(-1)).toBe(11);
  // However large they are, one waits in its process while another runs.
  const huge = large.map((each) => ({ ...each, bytes: 1e12 }));
  expect(sizes(window, huge).at(-1)).toBe(2);
  const tiny = Array.from({ length: 100 }, () => ({ ...load, bytes: 100_000 }));
  expect(sizes(window, tiny).at(-1)).toBe(64);
});

test('large values do not bound tasks that wait for something else', () => {
  // Each runs for 100 ms, so as many run as it holds.
  const window = createWindow('auto', { ...auto, bytes: 100_000 });
  for (let i = 0; i < 40; i += 1) {
    const done = window.size;
    window.record({
      ...{ elapsedMs: 100, activeMs: 10, starved: true },
      ...{ done, runMs: 100 * done, bytes: 50_000 * done },
    });
  }
  expect(window.size).toBe(64);
});

test('loads without information change nothing', () => {
  const window = createWindow('auto', auto);
  const nothing = [
    { elapsedMs: 0, activeMs: 0, done: 0, starved: true, ...small },
    { elapsedMs: NaN, activeMs: 1, done: 1, starved: true, ...small },
    { elapsedMs: 10, activeMs: NaN, done: 1, starved: true, ...small },
    { elapsedMs: 10, activeMs: -1, done: 1, starved: true, ...small },
    { elapsedMs: 10, activeMs: 0, done: 0, starved: false, ...small },
  ];
  expect(sizes(window, nothing)).toEqual([4, 4, 4, 4, 4]);
  window.record({ elapsedMs: 10, activeMs: 0, done: 5, starved: false, ...small });
  expect(window.size).toBe(64);
});

test('whatever the load, a window is an integer of 1 to the greatest', () => {
  const load = fc.record({
    elapsedMs: fc.double({ min: 0, max: 1e4 }),
    activeMs: fc.double({ min: 0, max: 1e4 }),
    done: fc.nat(100_000),
    starved: fc.boolean(),
    runMs: fc.double({ min: 0, max: 1e6 }),
    bytes: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(load), fc.integer({ min: 2, max: 64 }), (loads, max) => {
      const window = createWindow('auto', { first: 4, max, bytes: 100_000 });
      for (const size of sizes(window, loads)) {
        expect(Number.isInteger(size) && size >= 1 && size <= max).toBe(true);
      }
    }),
  );
});
