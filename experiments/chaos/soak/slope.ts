import { median } from '@ticketing/bench-kit';
import { randomFrom } from '../../src/loading/random-from.ts';

/** A value at a time. */
export interface Point {
  /** Milliseconds. */
  readonly at: number;
  readonly value: number;
}

/** Slope of a series, and its interval of 95 %, per hour. */
export interface Slope {
  readonly perHour: number;
  readonly low: number;
  readonly high: number;
  /** Length of the series in hours. */
  readonly hours: number;
  readonly points: number;
}

const HOUR_MS = 3_600_000;
const RESAMPLES = 200;
const SEED = 39;

/**
 * Returns the slope by Theil and Sen: the median of the slopes between all pairs of points, which a few outliers do not move. The
 * interval is that of a bootstrap which draws blocks of residuals, because neighbours are alike: memory rises until it is collected.
 * `undefined` for fewer than ten points: they prove nothing.
 */
export function slopeOf(points: readonly Point[]): Slope | undefined {
  const count = points.length;
  const [first] = points;
  const last = points.at(-1);
  if (count < MOST_FEW || first === undefined || last === undefined) return undefined;
  const times = points.map(({ at }) => (at - first.at) / HOUR_MS);
  const values = points.map(({ value }) => value);
  const slope = theilSen(times, values);
  const fitted = times.map((time) => slope * time);
  const level = median(values.map((value, index) => value - (fitted[index] ?? 0)));
  const residuals = values.map((value, index) => value - level - (fitted[index] ?? 0));
  const random = randomFrom(SEED);
  const length = Math.max(2, Math.round(Math.sqrt(count)));
  const slopes = Array.from({ length: RESAMPLES }, () => {
    const drawn = blocksOf(residuals, length, random);
    return theilSen(
      times,
      fitted.map((value, index) => level + value + (drawn[index] ?? 0)),
    );
  }).sort((a, b) => a - b);
  const at = (share: number): number => slopes[Math.floor(share * (RESAMPLES - 1))] ?? Number.NaN;
  return {
    ...{ perHour: slope, low: at(0.025), high: at(0.975) },
    ...{ hours: times.at(-1) ?? 0, points: count },
  };
}

const MOST_FEW = 10;

function theilSen(times: readonly number[], values: readonly number[]): number {
  const slopes: number[] = [];
  for (let one = 0; one < times.length; one += 1) {
    for (let other = one + 1; other < times.length; other += 1) {
      const apart = (times[other] ?? 0) - (times[one] ?? 0);
      if (apart > 0) slopes.push(((values[other] ?? 0) - (values[one] ?? 0)) / apart);
    }
  }
  return median(slopes);
}

/** Draws as many values as there are, in blocks that begin anywhere and go on at the beginning. */
function blocksOf(values: readonly number[], length: number, random: () => number): number[] {
  const drawn: number[] = [];
  while (drawn.length < values.length) {
    const start = Math.floor(random() * values.length);
    for (let index = 0; index < length && drawn.length < values.length; index += 1)
      drawn.push(values[(start + index) % values.length] ?? 0);
  }
  return drawn;
}

/**
 * Returns the floor of a series: at each time the least value from then on. Memory rises until it is collected, and what it falls back to
 * is what is held; a leak raises the floor. A run that ends before a collection raises the last few points, which do not move a median.
 */
export function floorOf(points: readonly Point[]): Point[] {
  let least = Number.POSITIVE_INFINITY;
  return points
    .toReversed()
    .map(({ at, value }) => {
      least = Math.min(least, value);
      return { at, value: least };
    })
    .toReversed();
}

/** Shortens a series to one value for each of some windows, without the warm-up. */
export function windows(
  points: readonly Point[],
  {
    count,
    warmShare,
    pick,
  }: {
    readonly count: number;
    /** Share of the time that does not count. */
    readonly warmShare: number;
    pick(values: readonly number[]): number;
  },
): Point[] {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return [];
  const from = first.at + warmShare * (last.at - first.at);
  const width = (last.at - from) / count;
  const values = Array.from({ length: count }, (): number[] => []);
  for (const { at, value } of points) {
    if (at < from) continue;
    values[Math.min(count - 1, Math.floor((at - from) / width))]?.push(value);
  }
  return values.flatMap((own, index) =>
    own.length === 0 ? [] : [{ at: from + (index + 0.5) * width, value: pick(own) }],
  );
}
