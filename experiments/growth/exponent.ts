import { median } from '@ticketing/bench-kit';

/** Time of one size. */
export interface GrowthPoint {
  readonly size: number;
  readonly ms: number;
  /** Memory that the prepared work takes. Absent: not measured. */
  readonly bytes?: number;
}

/** Least number of sizes from which an exponent is told. */
const FEWEST = 3;

/**
 * Returns the exponent of the growth, `ms ~ size ** exponent`: the median of the slopes between any two sizes, in logarithms (Theil-Sen),
 * of the upper half of the sizes, where what is constant no longer counts. `undefined` of fewer than three sizes.
 */
export function exponentOf(points: readonly GrowthPoint[]): number | undefined {
  const sorted = points.filter(({ ms }) => ms > 0).toSorted((a, b) => a.size - b.size);
  const upper = sorted.slice(Math.min(Math.floor(sorted.length / 2), sorted.length - FEWEST));
  if (sorted.length < FEWEST) return undefined;
  const slopes = upper.flatMap((a, index) =>
    upper
      .slice(index + 1)
      .map((b) => (Math.log(b.ms) - Math.log(a.ms)) / (Math.log(b.size) - Math.log(a.size))),
  );
  return median(slopes);
}

/**
 * Returns the largest exponent that n log n shows between the upper sizes, and a quarter more: caches that no longer hold all add as much.
 * A square has 2.
 */
export function mostExponent(sizes: readonly number[]): number {
  const points = sizes.map((size) => ({ size, ms: size * Math.log2(size + 1) }));
  return (exponentOf(points) ?? 1) + 0.25;
}
