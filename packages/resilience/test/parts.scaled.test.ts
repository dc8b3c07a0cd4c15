import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { balanceOf, createBudget, deposit, withdraw } from '../src/state/budget.ts';
import { addLatency, createLatencies, percentile } from '../src/state/latencies.ts';
import { createLimit, limitOf, noteLatency, noteTimeout } from '../src/state/limit.ts';
import { createRate, sendableAt, takeToken, tokensOf } from '../src/state/rate.ts';

const runs = { numRuns: scaled({ fast: 100, full: 2000 }) };

test('percentiles are those of the last 256 latencies, sorted, to 4.4 %', () => {
  const ms = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.double({ min: 0, max: 1e6, noNaN: true }));
  fc.assert(
    fc.property(fc.array(ms, { maxLength: 900, size: 'max' }), (all) => {
      const latencies = createLatencies();
      for (const one of all) addLatency(latencies, one);
      const last = all.slice(-256).sort((a, b) => a - b);
      for (const share of [0.01, 0.5, 0.95, 0.99, 1]) {
        const exact = last[Math.max(1, Math.ceil(share * last.length)) - 1] ?? 0;
        const found = percentile(latencies, share);
        expect(last.length === 0 || last.includes(found)).toBe(true);
        // Below a 64th of a millisecond all are one bucket.
        expect(Math.max(found, 1 / 64)).toBeLessThanOrEqual(1.045 * Math.max(exact, 1 / 64));
        expect(Math.max(exact, 1 / 64)).toBeLessThanOrEqual(1.045 * Math.max(found, 1 / 64));
      }
    }),
    runs,
  );
});

test('a percentile of equal latencies is exact, and misses a sixteenth of the latest at most', () => {
  const latencies = createLatencies();
  for (let one = 0; one < 256; one += 1) addLatency(latencies, 123.4);
  expect(percentile(latencies, 0.5)).toBe(123.4);
  for (let one = 0; one < 200; one += 1) {
    addLatency(latencies, 7);
    const found = percentile(latencies, 0.5);
    // 128 of 256 are the median.
    if (one + 1 < 128) expect(found).toBe(123.4);
    if (one + 1 > 128 + 17) expect(found).toBe(7);
  }
});

test('a budget grants what the last parts of its time paid in, and the reserve', () => {
  const op = fc.record({
    isDeposit: fc.boolean(),
    afterMs: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom(100, 900, 1000, 5000)),
  });
  const options = fc.record({
    share: fc.constantFrom(0, 0.1, 0.2, 1),
    minPerSecond: fc.constantFrom(0, 1, 2.5),
    ttlMs: fc.constantFrom(1000, 2000),
  });
  fc.assert(
    fc.property(options, fc.array(op, { maxLength: 200 }), (given, ops) => {
      const budget = createBudget(given);
      const events: { part: number; amount: number }[] = [];
      let now = 12_345;
      for (const { isDeposit, afterMs } of ops) {
        now += afterMs;
        const part = Math.floor(now / (given.ttlMs / 10));
        const alive = events.filter((event) => event.part > part - 10);
        const sum = alive.reduce((total, { amount }) => total + amount, 0);
        const balance = (given.minPerSecond * given.ttlMs) / 1000 + sum;
        expect(balanceOf(budget, now)).toBeCloseTo(balance, 6);
        if (isDeposit) {
          deposit(budget, now);
          events.push({ part, amount: given.share });
        } else if (Math.abs(balance - 1) > 1e-6) {
          expect(withdraw(budget, now)).toBe(balance > 1);
          if (balance > 1) events.push({ part, amount: -1 });
        }
      }
    }),
    runs,
  );
});

test('GCRA sends as a bucket of tokens does, and never more than burst + rate × time', () => {
  const options = fc.record({
    perSecond: fc.double({ min: 0.1, max: 1000, noNaN: true }),
    burst: fc.integer({ min: 1, max: 20 }),
  });
  const waits = fc.array(fc.double({ min: 0, max: 3000, noNaN: true }), { maxLength: 200 });
  fc.assert(
    fc.property(options, waits, ({ perSecond, burst }, gaps) => {
      const rate = createRate({ perSecond, burst, maxWaitMs: 0 });
      let now = 0;
      let tokens = burst;
      const sent: number[] = [];
      for (const gap of gaps) {
        now += gap;
        tokens = Math.min(burst, tokens + (gap * perSecond) / 1000);
        expect(tokensOf(rate, now)).toBeCloseTo(tokens, 6);
        for (const ahead of [0, 1, 5]) {
          const missing = Math.max(0, ahead + 1 - tokens);
          const at = sendableAt(rate, ahead, now);
          expect(at).toBeGreaterThanOrEqual(now);
          expect(at - now).toBeCloseTo((missing * 1000) / perSecond, 3);
        }
        if (sendableAt(rate, 0, now) > now) continue;
        takeToken(rate, now);
        tokens -= 1;
        expect(tokensOf(rate, now)).toBeGreaterThan(-1e-6);
        sent.push(now);
      }
      for (let first = 0; first < sent.length; first += 1) {
        for (let last = first; last < sent.length; last += 1) {
          const ms = (sent[last] as number) - (sent[first] as number);
          expect(last - first + 1).toBeLessThanOrEqual(burst + (ms * perSecond) / 1000 + 1e-6);
        }
      }
    }),
    runs,
  );
});

const adaptive = { initial: 16, min: 2, max: 64, isAdaptive: true, maxQueued: 0 };

test('an adaptive limit stays within its bounds, and never changes by more than half or double', () => {
  const op = fc.record({
    ms: fc.double({ min: 0, max: 1000, noNaN: true }),
    inFlight: fc.integer({ min: 1, max: 64 }),
    isTimeout: fc.integer({ min: 0, max: 20 }).map((one) => one === 0),
  });
  fc.assert(
    fc.property(fc.array(op, { maxLength: 300, size: 'max' }), (ops) => {
      const limit = createLimit(adaptive);
      let now = 0;
      for (const { ms, inFlight, isTimeout } of ops) {
        const { exact } = limit;
        now += 1;
        limit.inFlight = inFlight;
        if (isTimeout) noteTimeout(limit, now);
        else noteLatency(limit, ms, now, now);
        if (limit.exact === exact) continue;
        expect(limit.exact).toBeGreaterThanOrEqual(adaptive.min);
        expect(limit.exact).toBeLessThanOrEqual(adaptive.max);
        expect(limitOf(limit)).toBe(Math.floor(limit.exact));
        // Twice as high at most, after a limit that was halved in vain.
        expect(limit.exact / exact).toBeGreaterThanOrEqual(isTimeout ? 0.9 - 1e-9 : 0.5);
        expect(limit.exact / exact).toBeLessThanOrEqual(isTimeout ? 1 : 2);
      }
    }),
    runs,
  );
});

/** An upstream of some places, in which calls wait: the mean latency at a number of calls. */
const upstream = (places: number, ms: number) => (inFlight: number) =>
  ms * Math.max(1, inFlight / places);

/** Lets windows of calls pass, as many in flight as the limit allows. */
function saturate(
  limit: ReturnType<typeof createLimit>,
  windows: number,
  msAt: (inFlight: number) => number,
  from: number,
): number {
  let now = from;
  for (let window = 0; window < windows; window += 1) {
    const inFlight = limitOf(limit);
    limit.inFlight = inFlight;
    const answers = Math.ceil(Math.max(16, limit.exact));
    for (let answer = 0; answer < answers; answer += 1) {
      now += 1;
      noteLatency(limit, msAt(inFlight), now, now);
    }
  }
  return now;
}

test('an adaptive limit holds at the places of the upstream, and follows its latency', () => {
  const limit = createLimit({ ...adaptive, max: 256 });
  let now = saturate(limit, 40, upstream(20, 50), 0);
  const held = () => {
    const seen: number[] = [];
    for (let window = 0; window < 20; window += 1) {
      now = saturate(limit, 1, upstream(20, 50), now);
      seen.push(limitOf(limit));
    }
    return seen;
  };
  const before = held();
  expect(Math.min(...before)).toBeGreaterThanOrEqual(18);
  expect(Math.max(...before)).toBeLessThanOrEqual(26);
  // Twice as slow with as many places: the limit is not what makes it slow.
  now = saturate(limit, 10, upstream(20, 100), now);
  expect(limitOf(limit)).toBeGreaterThanOrEqual(16);
  expect(limit.baseMs).toBeGreaterThan(90);
  // Places without end: the limit grows up to its bound.
  saturate(limit, 200, () => 100, now);
  expect(limitOf(limit)).toBe(256);
});

test('an adaptive limit does not change while less than half of it is in flight', () => {
  const limit = createLimit(adaptive);
  for (let now = 1; now < 200; now += 1) {
    limit.inFlight = 7;
    noteLatency(limit, 10 + now, now, now);
  }
  expect(limit.exact).toBe(16);
});

test('answers to attempts from before the last change say nothing of the limit', () => {
  const limit = createLimit(adaptive);
  limit.inFlight = 16;
  noteTimeout(limit, 100);
  for (let answer = 0; answer < 100; answer += 1) noteLatency(limit, 10, 99, 200);
  expect(limit.window.count).toBe(0);
});
