import { quantile } from '@ticketing/bench-kit';
import { expect, test } from 'vitest';
import { type SimulatedRequest, type Simulation, simulate } from './simulated-server.ts';

const DEADLINE_MS = 2000;
const run = (simulation: Omit<Simulation, 'deadlineMs'>) =>
  simulate({ deadlineMs: DEADLINE_MS, ...simulation });

/** A search: it waits for its carriers, and works before and after. `computeMs` is both together. */
const search = (computeMs: number) => ({
  beforeMs: computeMs / 2,
  waitMs: 50,
  afterMs: computeMs / 2,
});

/** Requests that come within 20 ms, of which the first 30 find a server that has compiled nothing if it is `fresh`. */
function burst(size: number, { computeMs, isFresh }: { computeMs: number; isFresh: boolean }) {
  return Array.from(
    { length: size },
    (_, place): SimulatedRequest => ({
      atMs: (place * 20) / size,
      ...search(isFresh && place < 30 ? 5 * computeMs : computeMs),
    }),
  );
}

const states = [
  ['fresh', { isFresh: true, stolen: 0 }],
  ['warm', { isFresh: false, stolen: 0 }],
  ['warm, and others use half of the processor', { isFresh: false, stolen: 1 }],
] as const;

test.each(states)(
  'a server that is %s answers as many of a burst in time with a limit as without one',
  (_, { isFresh, stolen }) => {
    for (const size of [50, 100, 300]) {
      for (const computeMs of [1, 2, 3, 6]) {
        const requests = burst(size, { computeMs, isFresh });
        const inTime = (['off', 'auto'] as const).map(
          (limit) =>
            run({ requests, limit, stolen }).tookMs.filter((ms) => ms <= DEADLINE_MS).length,
        );
        const [without = 0, own = 0] = inTime;
        expect(own, `${size} of ${computeMs} ms`).toBeGreaterThanOrEqual(0.98 * without);
      }
    }
  },
);

/** Requests at a constant rate, a multiple of what the event loop can do, for four seconds. */
function flood(multiple: number, work: Omit<SimulatedRequest, 'atMs'>) {
  const capacity = 1000 / (work.beforeMs + work.afterMs);
  const perSecond = multiple * capacity;
  const requests = Array.from({ length: 4 * perSecond }, (_, place) => ({
    atMs: (place * 1000) / perSecond,
    ...work,
  }));
  const { tookMs } = run({ requests, limit: 'auto' });
  return {
    goodShare: tookMs.filter((ms) => ms <= DEADLINE_MS).length / (4 * capacity),
    p99Ms: quantile(Float64Array.from(tookMs).sort(), 0.99),
  };
}

test.each([
  ['computes for 5 ms', { beforeMs: 5, waitMs: 0, afterMs: 0 }, 1100, 0.95],
  ['computes for 2 ms', { beforeMs: 2, waitMs: 0, afterMs: 0 }, 1250, 0.7],
  ['computes for 3 ms and waits for 50', search(3), 1350, 0.95],
])(
  'beyond its capacity a server whose work %s answers as much as before, within about half of the deadline',
  (_, work, mostMs, leastShare) => {
    for (const multiple of [2, 4, 8]) {
      const { goodShare, p99Ms } = flood(multiple, work);
      expect(goodShare, `${multiple}x`).toBeGreaterThan(leastShare);
      expect(p99Ms, `${multiple}x`).toBeLessThan(mostMs);
    }
  },
);

test('without a limit hardly any request is answered in time at four times the capacity', () => {
  const requests = Array.from({ length: 3200 }, (_, place) => ({
    atMs: place * 1.25,
    ...search(5),
  }));
  const { tookMs, refused } = run({ requests, limit: 'off' });
  expect(refused).toBe(0);
  expect(tookMs.filter((ms) => ms <= DEADLINE_MS).length).toBeLessThan(0.2 * requests.length);
});
