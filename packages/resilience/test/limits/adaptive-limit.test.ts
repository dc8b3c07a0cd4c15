import { describe, expect, test } from 'vitest';
import { compareLimit } from '../../bench/limits/compare-limits.ts';
import { fixedLimiter, gradientLimiter, guardLimiter } from '../../bench/limits/limiters.ts';
import { loads } from '../../bench/limits/loads.ts';

const SEEDS = [1, 7919, 104_729];
const [, mild, hard] = loads;

describe.each(loads.filter(({ name }) => !name.includes('40 ms')))('$name', (load) => {
  test.each(SEEDS)(
    'an adaptive limit answers 90 % of what the best fixed one does within 5 s of a change (seed %i)',
    (seed) => {
      const { before, after } = compareLimit(guardLimiter, load, seed);
      expect(before.goodput).toBeGreaterThan(0.9);
      expect(after.goodput).toBeGreaterThan(0.9);
      expect(before.p99).toBeLessThan(2);
      // A latency that halves is a base that is too high for the calls in flight at that time.
      expect(after.p99).toBeLessThan(load.name.startsWith('400') ? 2.5 : 2);
    },
  );
});

test.each(loads)('an adaptive limit neither collapses nor grows without end: $name', (load) => {
  for (const seed of SEEDS) {
    const { before, after } = compareLimit(guardLimiter, load, seed);
    expect(before.goodput).toBeGreaterThan(0.75);
    expect(after.goodput).toBeGreaterThan(0.75);
    expect(before.p99).toBeLessThan(2.5);
  }
});

test('a limit that is too high, or an average that has the queue in it, costs what this is about', () => {
  for (const load of [mild, hard]) {
    if (load === undefined) throw new Error('There are loads with a slowdown');
    expect(compareLimit(() => fixedLimiter(80), load, 1).before.goodput).toBeLessThan(0.8);
    expect(compareLimit(gradientLimiter, load, 1).before.goodput).toBeLessThan(0.8);
    expect(compareLimit(() => fixedLimiter(load.best), load, 1).before.goodput).toBe(1);
  }
});
