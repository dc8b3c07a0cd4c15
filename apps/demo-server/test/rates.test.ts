import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OperatorView } from '../src/figures/view-schema.ts';
import { createRates, growthOf, quantileOf } from '../src/trends/rates.ts';
import { buckets, LE, someServer as server, someView } from './bare-view.ts';

const view = (at: number, parts: Partial<OperatorView> = {}) => someView({ at, ...parts });

const route = (process: string, ...counts: number[]) => ({
  ...{ process, method: 'GET', route: '/search', status: 200, latency: buckets(...counts) },
});

test('a count is a rate by its process and pid; a successor begins anew', () => {
  const rates = createRates();
  const add = (at: number, pid: number, counts: number[], ageMs = 1e6) =>
    rates.add(
      view(at, {
        processes: [server('server-0', pid, { ageMs })],
        routes: [route('server-0', ...counts)],
      }),
    );
  add(0, 1, [100, 0, 0, 0]);
  expect(rates.perSecond('http')).toBeUndefined();
  add(1000, 1, [103, 0, 0, 0]);
  expect(rates.perSecond('http')).toBe(3);
  // Killed: its successor has counted two in its half second.
  add(2000, 2, [0, 2, 0, 0], 500);
  expect([rates.recent('http'), rates.perSecond('http')]).toEqual([5, 2.5]);
  // A process that was not known and is old: what it has counted is older than the view.
  add(3000, 3, [50, 50, 0, 0]);
  expect(rates.recent('http')).toBe(5);
  expect(rates.quantile('http', 0.5)).toBeCloseTo((2.5 / 3) * 5);
});

test('a process that is silent for a while goes on from what it had', () => {
  const rates = createRates();
  const processes = [server('server-0', 1)];
  rates.add(view(0, { processes, routes: [route('server-0', 10)] }));
  rates.add(view(1000, { processes }));
  expect(rates.recent('http')).toBe(0);
  rates.add(view(2000, { processes, routes: [route('server-0', 14)] }));
  expect(rates.recent('http')).toBe(4);
});

test('with any restarts, each count after the first view is counted once', () => {
  const tick = fc.record({
    grown: fc.array(fc.nat({ max: 20 }), { minLength: 4, maxLength: 4 }),
    restarts: fc.boolean(),
    isSilent: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(tick, { maxLength: 9 }), (ticks) => {
      const rates = createRates();
      let [pid, counts, ageMs, expected] = [1, [7, 7, 7, 7], 1e6, 0];
      let pending = 0;
      const add = (at: number, routes: OperatorView['routes']) =>
        rates.add(view(at, { processes: [server('server-0', pid, { ageMs })], routes }));
      add(0, [route('server-0', ...counts)]);
      for (const [at, { grown, restarts, isSilent }] of ticks.entries()) {
        if (restarts) {
          // What the one before counted since its last report is lost with it.
          [pid, counts, ageMs, pending] = [pid + 1, [0, 0, 0, 0], 900, 0];
        } else ageMs += 1000;
        counts = counts.map((count, place) => count + (grown[place] ?? 0));
        pending += grown.reduce((all, one) => all + one, 0);
        // A young process reports in its first view: silent ones are old.
        const reports = !isSilent || restarts;
        add((at + 1) * 1000, reports ? [route('server-0', ...counts)] : []);
        if (reports) [expected, pending] = [expected + pending, 0];
      }
      expect(rates.recent('http')).toBe(expected);
    }),
  );
});

test.each([
  // Hosts of a fleet report what they own, if it is nothing.
  ['on', 10],
  ['fleet', 2],
  ['shared', 10],
  ['off', 10],
])('--coalesce %s: %d loads are work that is done', (coalesce, expected) => {
  const rates = createRates();
  const { modes } = someView();
  const row = (scope: 'process' | 'fleet', asked: number, led: number) => ({
    ...{ process: 'server-0', name: 'search' as const, scope, asked, led, joined: asked - led },
    ...{ hits: 0, loaded: led, overflowed: 0, inFlight: 0 },
  });
  for (const [at, asked, led, fleetLed] of [
    [0, 0, 0, 0],
    [1000, 40, 10, 2],
  ] as const) {
    rates.add(
      view(at, {
        modes: { ...modes, coalesce },
        processes: [server('server-0', 1)],
        coalesce: [row('process', asked, led), row('fleet', led, fleetLed)],
      }),
    );
  }
  const all = rates.all().recent;
  // No row has the scope of --coalesce shared: it is not known to be in use.
  expect([all['asked'], all['led']]).toEqual([40, expected]);
  expect([all['led process'], all['led fleet'], all['saved fleet']]).toEqual([10, 2, 8]);
});

test('requests to carriers are counted by the process that sends them', () => {
  const rates = createRates();
  const carrier = (process: string, id: string, sent: number) => ({
    ...{ process, id, states: {}, latency: {} },
    http: { inFlight: 0, sent, retried: 0, refused: 0 },
  });
  const processes = [server('server-0', 1), server('server-0/task-0', 2)];
  for (const at of [0, 1]) {
    rates.add(
      view(at * 1000, {
        processes,
        carriers: [
          carrier('server-0', 'renfe', at),
          carrier('server-0/task-0', 'renfe', 20 * at),
          carrier('server-0/task-0', 'ouigo', 10 * at),
        ],
      }),
    );
  }
  expect(rates.all().perSecond).toMatchObject({
    ...{ 'sent by server-0': 1, 'sent by server-0/task-0': 30 },
    ...{ 'sent renfe': 21, 'sent ouigo': 10 },
  });
});

const counts = fc.array(fc.nat({ max: 1000 }), {
  minLength: LE.length + 1,
  maxLength: LE.length + 1,
});

test('growthOf() is never negative, and all of a counter that began anew', () => {
  fc.assert(
    fc.property(counts, counts, (before, now) => {
      const growth = growthOf(before, now);
      expect(growth.every((count) => count >= 0)).toBe(true);
      const fell = now.some((count, at) => count < (before[at] ?? 0));
      expect(growth).toEqual(fell ? now : now.map((count, at) => count - (before[at] ?? 0)));
    }),
  );
});

test('quantileOf() lies in the bucket of that rank, and grows with the share', () => {
  expect(quantileOf(LE, [0, 0, 0, 0], 0.5)).toBeUndefined();
  fc.assert(
    fc.property(counts, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
      const sum = all.reduce((sofar, one) => sofar + one, 0);
      fc.pre(sum > 0);
      const value = quantileOf(LE, all, share) ?? Number.NaN;
      let [rank, at] = [share * sum, 0];
      while (at < LE.length && rank > (all[at] ?? 0)) rank -= all[at++] ?? 0;
      expect(value).toBeGreaterThanOrEqual(LE[at - 1] ?? 0);
      expect(value).toBeLessThanOrEqual(LE[at] ?? LE.at(-1) ?? 0);
      expect(quantileOf(LE, all, share / 2)).toBeLessThanOrEqual(value);
    }),
  );
});
