import { expect, test } from 'vitest';
import { FIGURES, trendOf, WARM_UP } from '../../chaos/soak/figures.ts';
import { slopeOf, windows } from '../../chaos/soak/slope.ts';
import { soakFlags } from '../../chaos/soak/soak-flags.ts';
import { failuresOf, soakTable } from '../../chaos/soak/soak-report.ts';
import { randomFrom } from '../../src/loading/random-from.ts';

const MB = 2 ** 20;
const MINUTE_MS = 60_000;

/** Memory once a second that rises and is collected, in bytes, with a growth in MB per minute. */
function memory(minutes: number, perMinute: number, seed = 1) {
  const random = randomFrom(seed);
  return Array.from({ length: minutes * 60 }, (_, second) => ({
    at: second * 1000,
    value: (80 + (perMinute * second) / 60 + (second % 17) * 1.5 + random() * 4) * MB,
  }));
}

test('slopeOf() finds a slope in noise, and its interval contains it nearly always', () => {
  const slopes = Array.from({ length: 20 }, (_, seed) => {
    const random = randomFrom(seed + 1);
    const points = Array.from({ length: 40 }, (__, index) => ({
      at: index * MINUTE_MS,
      value: 100 + 12 * (index / 60) + (random() - 0.5) * 6,
    }));
    return slopeOf(points);
  });
  const isIn = slopes.filter((slope) => slope && slope.low <= 12 && slope.high >= 12);
  expect(isIn.length).toBeGreaterThanOrEqual(16);
  for (const slope of slopes) expect(Math.abs((slope?.perHour ?? 0) - 12)).toBeLessThan(4);
});

test('slopeOf() is not moved by a few outliers, as a mean would be', () => {
  const points = Array.from({ length: 40 }, (_, index) => ({
    at: index * MINUTE_MS,
    value: index > 36 ? 10_000 : 50 + (index % 3),
  }));
  expect(Math.abs(slopeOf(points)?.perHour ?? Number.NaN)).toBeLessThan(1);
});

test('slopeOf() of few points proves nothing', () => {
  expect(slopeOf(memory(1, 5).slice(0, 9))).toBeUndefined();
  expect(slopeOf([])).toBeUndefined();
});

test('slopeOf(): of 20 series without a growth hardly one has a lower bound above 0', () => {
  const above = Array.from({ length: 20 }, (_, seed) => {
    const random = randomFrom(seed + 100);
    const points = Array.from({ length: 40 }, (__, index) => ({
      at: index * MINUTE_MS,
      value: random(),
    }));
    return slopeOf(points)?.low ?? 0;
  }).filter((low) => low > 0);
  expect(above.length).toBeLessThanOrEqual(3);
});

test('windows() leaves the warm-up out, and gives one value per window', () => {
  const points = Array.from({ length: 100 }, (_, index) => ({
    at: index,
    value: index < 20 ? 999 : index,
  }));
  const few = windows(points, { count: 8, warmShare: 0.2, pick: (values) => Math.min(...values) });
  expect(few).toHaveLength(8);
  expect(few[0]?.value).toBe(20);
  expect(few.every(({ value }) => value < 100)).toBe(true);
});

test('trendOf() tells a leak from memory that rises and is collected', () => {
  const rss = (points: ReturnType<typeof memory>) =>
    trendOf({ process: 'server', figure: 'beside', points });
  expect(rss(memory(10, 0))?.grows).toBe(false);
  // A start that takes much is no growth.
  const start = memory(10, 0).map(({ at, value }) => ({
    at,
    value: value - (at < 100_000 ? 60 * MB : 0),
  }));
  expect(rss(start)?.grows).toBe(false);
  expect(rss(memory(10, 12))?.grows).toBe(true);
  expect(rss(memory(120, 1))?.grows).toBe(true);
});

test('trendOf() leaves out the warm-up of a short soak, in which memory rises', () => {
  const learning = memory(5, 0).map(({ at, value }) => ({
    at,
    value: value - Math.max(0, WARM_UP.ms - at) * (MB / 2000),
  }));
  expect(trendOf({ process: 'server', figure: 'beside', points: learning })?.grows).toBe(false);
});

test('soakFlags() refuses what is no time, and takes ten minutes', () => {
  expect(() => soakFlags(['--minutes', '0'])).toThrow('--minutes');
  expect(soakFlags([])).toMatchObject({ minutes: 10, perSecond: 10, beside: false });
  expect(soakFlags(['--beside'])).toMatchObject({ beside: true });
});

test('trendOf() takes memory that is rarely collected for none, also when the run ends before a collection', () => {
  const teeth = (perMinute: number) =>
    Array.from({ length: 640 }, (_, second) => ({
      at: second * 1000,
      value: (12 + (second % 130) * 0.4 + (perMinute * second) / 60) * MB,
    }));
  const external = (perMinute: number) =>
    trendOf({ process: 'server', figure: 'external', points: teeth(perMinute) });
  expect(external(0)?.grows).toBe(false);
  expect(external(2)?.grows).toBe(true);
});

test('trendOf() tells one descriptor a minute, and not one that comes and goes', () => {
  const descriptors = (valueAt: (second: number) => number) =>
    trendOf({
      process: 'server',
      figure: 'descriptors',
      points: Array.from({ length: 600 }, (_, second) => ({
        at: second * 1000,
        value: valueAt(second),
      })),
    });
  expect(descriptors((second) => 40 + Math.floor(second / 60))?.grows).toBe(true);
  expect(descriptors((second) => 40 + (second % 5))?.grows).toBe(false);
});

const trend = trendOf({ process: 'server 7', figure: 'beside', points: memory(10, 12) });
const result = {
  setup: 'single',
  minutes: 10,
  requests: 100,
  bad: {},
  lateShare: 0,
  trends: trend ? [trend] : [],
};

test('failuresOf() names what grows, and answers that are not right', () => {
  expect(failuresOf(result)).toEqual([
    expect.stringMatching(
      /^single: memory beside the heap of server 7 grows by at least [\d.]+ MB in [\d.]+ min; 24 are none$/,
    ),
  ]);
  expect(failuresOf({ ...result, trends: [], bad: { wrong: 2, refused: 3 } })).toEqual([
    'single: 2 of 100 requests are wrong',
  ]);
});

test('failuresOf() does not judge what grows as requests wait on a machine that had no time', () => {
  const points = memory(10, 0).map(({ at }) => ({ at, value: 100 + at / 1000 }));
  const slow = trendOf({ process: 'clients', figure: 'p99', points });
  const trends = slow ? [slow] : [];
  expect(failuresOf({ ...result, trends })).toHaveLength(1);
  expect(failuresOf({ ...result, trends, lateShare: 0.02, bad: { cut: 1 } })).toEqual([]);
  expect(failuresOf({ ...result, lateShare: 0.02 })).toEqual([]);
  expect(failuresOf(result, true)).toEqual([]);
  const leak = trendOf({ process: 'server', figure: 'heapUsed', points: memory(10, 12) });
  expect(failuresOf({ ...result, trends: leak ? [leak] : [], lateShare: 0.02 })).toHaveLength(1);
});

test('soakTable() shows the process of each figure that grows most', () => {
  const flat = trendOf({ process: 'server 8', figure: 'beside', points: memory(10, 0) });
  const lines = soakTable([{ ...result, trends: [...result.trends, ...(flat ? [flat] : [])] }]);
  expect(lines).toHaveLength(3);
  expect(lines[2]).toMatch(/single, 10 min.*memory beside the heap.*server .*\*\*grows\*\*/);
  expect(FIGURES.beside.tolerance).toBe(24);
});
