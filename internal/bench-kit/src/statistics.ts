/** Returns the median; of an even count, the mean of the two in the middle. `NaN` of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [
    sorted[sorted.length % 2 === 0 ? middle - 1 : middle],
    sorted[middle],
  ];
  return (low + high) / 2;
}

/**
 * Returns the median of each round's ratio to the base in the same round: what disturbs a round disturbs both. `NaN` of
 * none, or if the base lacks a round.
 */
export function medianRatio(own: readonly number[], base: readonly number[]): number {
  return median(own.map((each, round) => each / (base[round] ?? Number.NaN)));
}

/** Returns the range as a share of the median: 0.1 = 10 %. */
export function spread(values: readonly number[]): number {
  const range = Math.max(...values) - Math.min(...values);
  return range === 0 ? 0 : range / median(values);
}

/** Returns the quantile of sorted values by the nearest rank. `share`: 0-1. `NaN` of none. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}
