import { expect, test } from 'vitest';
import { Departures } from '../../src/kernel/state/departures.ts';

test('nothing is known before the first answer, and no departure before the eighth', () => {
  const departures = new Departures();
  expect(departures.intervalMs(2, 4, 0)).toBeUndefined();
  departures.answered('echo', 0);
  expect(departures.intervalMs(2, 4, 0)).toBe(0);
  departures.left(7, 700, 0);
  expect(departures.intervalMs(2, 4, 0)).toBe(0);
  departures.left(1, 100, 0);
  expect(departures.intervalMs(2, 4, 0)).toBe(50);
});

test('a departure that is taken back counts no more, whichever slice has it', () => {
  const departures = new Departures();
  departures.left(16, 250, 0);
  departures.left(1, 30, 0);
  expect(departures.intervalMs(1, 1, 0)).toBe(280 / 17);
  departures.returned();
  departures.returned();
  expect(departures.intervalMs(1, 1, 0)).toBe(280 / 15);
  for (let left = 15; left > 7; left -= 1) departures.returned();
  expect(departures.intervalMs(1, 1, 0)).toBeUndefined();
  for (let more = 0; more < 20; more += 1) departures.returned();
  departures.left(8, 80, 0);
  expect(departures.intervalMs(1, 1, 0)).toBe(360 / 8);
});

test('before departures intervalMs() is the mean time at a worker, divided by the calls in flight', () => {
  const departures = new Departures();
  departures.answered('echo', 100);
  departures.answered('other', 200);
  expect([departures.intervalMs(2, 4, 0), departures.intervalMs(2, 0, 0)]).toEqual([27.5, 110]);
  departures.answered('echo', 200);
  expect(['echo', 'other', 'third'].map((task) => departures.heldMs(task))).toEqual([110, 200, 0]);
});

test('Departures forgets a slice of 16 departures and 250 ms when two have come after it', () => {
  const departures = new Departures();
  const interval = () => departures.intervalMs(1, 1, 0);
  departures.left(16, 16_000, 0);
  departures.left(16, 250, 0);
  expect(interval()).toBe(16_250 / 32);
  departures.left(1, 1, 0);
  expect(interval()).toBe(251 / 17);
});

test('a slice goes on until it has both its departures and its time', () => {
  const departures = new Departures();
  const interval = () => departures.intervalMs(1, 1, 0);
  departures.left(16, 16_000, 0);
  departures.left(15, 1000, 0);
  departures.left(1, 0, 0);
  expect(interval()).toBe(17_000 / 32);
  departures.left(16, 249, 0);
  departures.left(1, 1, 0);
  expect(interval()).toBe(1250 / 33);
  departures.left(1, 0, 0);
  expect(interval()).toBe(250 / 18);
});

test('intervalMs() grows when nothing has left for longer than two intervals', () => {
  const departures = new Departures();
  departures.left(10, 1000, 500);
  expect([600, 700, 701, 1100].map((now) => departures.intervalMs(1, 1, now))).toEqual([
    100, 100, 110.1, 150,
  ]);
});

test('the time in which nothing waited does not count as slowness', () => {
  const departures = new Departures();
  departures.left(16, 160, 1000);
  expect(departures.intervalMs(1, 1, 9000)).toBe(509.375);
  // A call waits since 8990.
  expect(departures.intervalMs(1, 1, 9000, 8990)).toBe(10);
  expect(departures.intervalMs(1, 1, 9150, 8990)).toBe(19.375);
});

test('the time without any worker does not count as slowness', () => {
  const departures = new Departures();
  departures.left(16, 160, 1000);
  expect(departures.intervalMs(1, 1, 3000)).toBeGreaterThan(100);
  departures.filled(3000);
  expect(departures.intervalMs(1, 1, 3005)).toBe(10);
});
