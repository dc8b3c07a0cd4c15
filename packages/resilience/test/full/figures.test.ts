// The figures of docs/measurements/resilience.md, by the counts of the simulator. Counts do not depend on the speed of the machine, and run
// at the same time; what compares latencies runs alone and in slow motion, and compares those of the same moments.
import { describe, expect, test } from 'vitest';
import { measureFailingCarrier } from '../../bench/figures/failing-carrier.ts';
import { leastHedgedRatio, measureHedgedCarrier } from '../../bench/figures/hedged-carrier.ts';
import { measureHungCarrier } from '../../bench/figures/hung-carrier.ts';
import { measureLimitedRate, mostAbove } from '../../bench/figures/limited-rate.ts';
import { measurePausedCarrier } from '../../bench/figures/paused-carrier.ts';
import { measureSlowedCarrier } from '../../bench/figures/slowed-carrier.ts';

const TIMEOUT_MS = 180_000;

describe.concurrent('counts of the simulator', { timeout: TIMEOUT_MS }, () => {
  test('a carrier that fails gets a fifth more requests and one per second, not three times as many', async () => {
    const seconds = 30;
    const { calls, naive, budgeted, guarded } = await measureFailingCarrier({
      perSecond: 50,
      seconds,
    });
    expect(calls).toBe(50 * seconds);
    expect(naive).toBe(3 * calls);
    // The reserve is that of one time to live, 10 s, for each one that begins.
    expect(budgeted).toBeLessThanOrEqual(1.2 * calls + seconds + 10);
    expect(budgeted).toBeGreaterThan(1.15 * calls);
    // 10 failures open the circuit; probes after 5 s and 10 s more, each by a call that may be retried.
    expect(guarded).toBeLessThan(0.1 * calls);
    expect(guarded).toBeGreaterThanOrEqual(10);
  });

  test('a carrier that asked for a pause of 5 s gets no request within, and the first one at its end', async () => {
    const { calls, refused, requests, lateMs, delayMs } = await measurePausedCarrier();
    expect(calls).toBe(100);
    expect(refused).toBeGreaterThanOrEqual(calls - 1);
    expect(requests).toBe(0);
    expect(lateMs).toBeLessThan(100 + 2 * delayMs);
  });

  test('a rate of 5 per second with bursts of 5 holds over every span of a minute', async () => {
    const { calls, requests, sentAbove, above, transitMs } = await measureLimitedRate(60);
    expect(calls).toBe(1200);
    // The clock of a guard has whole milliseconds, that of this test has not.
    expect(sentAbove).toBeLessThan(0.01);
    // A request that was longer on its way than the next one is closer to it than it was sent.
    expect(above).toBeLessThanOrEqual(0.01 + (5 * transitMs) / 1000);
    expect(requests).toBeLessThanOrEqual(5 + 5 * 60);
    expect(requests).toBeGreaterThan(0.95 * 5 * 60);
  });
});

describe('latencies against the simulator', { timeout: TIMEOUT_MS }, () => {
  test('a hedge shortens the slowest calls as far as one can, for 6 % more requests', async () => {
    const { requests, plain, hedged } = await measureHedgedCarrier({
      perSecond: 100,
      seconds: 40,
      slowMotion: 5,
    });
    // 5 % by the percentile; chance and the machine make it 4 to 6.5.
    expect(requests).toBeLessThan(1.07);
    expect(requests).toBeGreaterThan(1.03);
    expect(hedged.p99 / plain.p99).toBeLessThan(0.8);
    expect(hedged.p999 / plain.p999).toBeLessThan(0.7);
  });

  test('searches do not wait for a carrier that hangs, and it gets at most one request per `openMs`', async () => {
    const { requests, mostRequests, p99, lateBefore, late } = await measureHungCarrier({
      seconds: 24,
      slowMotion: 3,
    });
    expect(requests).toBeLessThanOrEqual(mostRequests);
    expect(requests).toBeGreaterThan(0);
    expect(p99).toBeLessThan(1.2);
    expect(lateBefore).toBeGreaterThanOrEqual(10);
    // Each request that reaches it is one search that waits.
    expect(late).toBeLessThanOrEqual(requests);
  });

  test.each([{ slowdown: 0.25 }])(
    'an adaptive limit answers 90 % of what the best fixed one does, after the latency has doubled, too (slowdown $slowdown)',
    async ({ slowdown }) => {
      const [adaptive, ...fixed] = await measureSlowedCarrier({
        seconds: 30,
        slowdown,
        slowMotion: 2,
        fixedLimits: [10, 20, 40, 80],
      });
      for (const phase of ['before', 'after'] as const) {
        const best = Math.max(...fixed.map((limit) => limit[phase].goodput));
        expect(best).toBeGreaterThan(0.85);
        expect(adaptive?.[phase].goodput).toBeGreaterThan(0.9 * best);
        // Half of the capacity is no load, but for that of the machine.
        expect(adaptive?.[phase].p99).toBeLessThan(2 * (fixed[0]?.[phase].p99 ?? Number.NaN));
        // A limit that is too high costs what the figure is about.
        expect(fixed.at(-1)?.[phase].goodput).toBeLessThan(0.8);
      }
    },
  );
});

test('leastHedgedRatio() is what the distribution allows', () => {
  expect(leastHedgedRatio(0.06)).toBeCloseTo(0.62, 1);
  expect(leastHedgedRatio(0.06)).toBeGreaterThan(0.6);
  expect(leastHedgedRatio(1)).toBeLessThan(0.4);
});

test('mostAbove() finds the span with too many', () => {
  expect(mostAbove([0, 0, 0, 0, 0, 200, 400])).toBeCloseTo(0);
  expect(mostAbove([0, 0, 0, 0, 0, 100])).toBeCloseTo(0.5);
  expect(mostAbove([0, 1000, 1000, 1000, 1000, 1000, 1000])).toBe(1);
});
