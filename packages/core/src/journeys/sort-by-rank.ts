/**
 * Returns values sorted by rank, a finite number, into a new list; `tie` compares those of equal rank.
 *
 * Bottom-up merge sort over typed arrays: half the time of `Array.prototype.sort`, and sorting is most of a
 * search's own time (docs/decisions/0005-sorting-by-typed-ranks.md).
 */
export function sortByRank<T>(
  values: readonly T[],
  rankOf: (value: T) => number,
  tie: (a: T, b: T) => number,
): T[] {
  const { length } = values;
  const ranks = new Float64Array(length);
  let sorted = new Int32Array(length);
  for (let index = 0; index < length; index++) {
    ranks[index] = rankOf(values[index] as T);
    sorted[index] = index;
  }
  const isFirst = (a: number, b: number): boolean => tie(values[a] as T, values[b] as T) <= 0;
  let free = new Int32Array(length);
  for (let width = 1; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) {
      mergeRuns({ ranks, from: sorted, to: free, isFirst }, start, width);
    }
    [sorted, free] = [free, sorted];
  }
  const result: T[] = [];
  for (const index of sorted) result.push(values[index] as T);
  return result;
}

interface Runs {
  readonly ranks: Float64Array;
  /** Indices of values: two sorted runs of `width`, from `start` on. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Whether `a` comes first of two indices of equal rank. */
  readonly isFirst: (a: number, b: number) => boolean;
}

function mergeRuns({ ranks, from, to, isFirst }: Runs, start: number, width: number): void {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(middle + width, from.length);
  let left = start;
  let right = middle;
  let at = start;
  while (left < middle && right < end) {
    const a = from[left] as number;
    const b = from[right] as number;
    const apart = (ranks[a] as number) - (ranks[b] as number);
    if (apart < 0 || (apart === 0 && isFirst(a, b))) {
      to[at++] = a;
      left++;
    } else {
      to[at++] = b;
      right++;
    }
  }
  while (left < middle) to[at++] = from[left++] as number;
  while (right < end) to[at++] = from[right++] as number;
}
