import fc from 'fast-check';
import { expect, test } from 'vitest';
import { QueuePace } from '../src/queue-pace.ts';

test('QueuePace: a burst waits for the deadline less the 95th percentile of the last 64 works, in whatever order they ended', () => {
  const works = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 150 });
  fc.assert(
    fc.property(works, (durations) => {
      const pace = new QueuePace(1000);
      expect(pace.burstWaitMs()).toBe(0);
      for (const ms of durations) pace.worked(ms);
      const last = durations.slice(-64).toSorted((one, other) => one - other);
      expect(pace.burstWaitMs()).toBe(1000 - (last[Math.floor(0.95 * (last.length - 1))] ?? 0));
    }),
  );
});

test('QueuePace: the interval is an average of those in which others waited, the latest with a twentieth', () => {
  const pace = new QueuePace(1000);
  pace.taken(0, 1);
  pace.taken(100, 1);
  expect(pace.intervalMs).toBeCloseTo(5);
  pace.taken(200, 0);
  expect(pace.intervalMs).toBeCloseTo(5 + 95 / 20);
  const { intervalMs } = pace;
  // Nobody waited meanwhile.
  pace.taken(5000, 1);
  expect(pace.intervalMs).toBe(intervalMs);
});
