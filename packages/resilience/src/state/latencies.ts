/** Successes that are remembered. */
const SIZE = 256;

/** Last durations, in milliseconds, in the order of their coming and sorted; the functions of this file alone write it. */
export interface Latencies {
  readonly recent: Float64Array;
  readonly sorted: Float64Array;
  /** Place of the next duration in `recent`. */
  next: number;
  count: number;
}

export function createLatencies(): Latencies {
  return { recent: new Float64Array(SIZE), sorted: new Float64Array(SIZE), next: 0, count: 0 };
}

/** Adds a duration; the oldest one leaves. */
export function addLatency(latencies: Latencies, ms: number): void {
  const { recent, sorted, next } = latencies;
  if (latencies.count < SIZE) {
    latencies.count += 1;
    let place = latencies.count - 1;
    for (; place > 0 && (sorted[place - 1] as number) > ms; place -= 1) {
      sorted[place] = sorted[place - 1] as number;
    }
    sorted[place] = ms;
  } else replace(sorted, recent[next] as number, ms);
  recent[next] = ms;
  latencies.next = next + 1 === SIZE ? 0 : next + 1;
}

/** Replaces one value of a sorted array: only the values between the two move. */
function replace(sorted: Float64Array, old: number, value: number): void {
  let place = lowerBound(sorted, old);
  if (value > old) {
    for (; place + 1 < SIZE && (sorted[place + 1] as number) < value; place += 1) {
      sorted[place] = sorted[place + 1] as number;
    }
  } else {
    for (; place > 0 && (sorted[place - 1] as number) > value; place -= 1) {
      sorted[place] = sorted[place - 1] as number;
    }
  }
  sorted[place] = value;
}

function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = SIZE;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the duration that a share of the successes does not exceed (nearest rank); 0 without any. */
export function percentile({ sorted, count }: Latencies, share: number): number {
  if (count === 0) return 0;
  return sorted[Math.max(0, Math.ceil(share * count) - 1)] as number;
}

/** Returns the median; 0 without any success. */
export function medianOf(latencies: Latencies): number {
  return percentile(latencies, 0.5);
}
