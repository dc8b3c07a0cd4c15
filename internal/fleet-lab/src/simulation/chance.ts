/** Numbers that look random and are the same for one seed. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number, 0 ≤ n < 1. Mulberry32 (Tommy Ettinger), public domain. */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };

  /** Returns another source, whose numbers do not depend on how many this one gives later. */
  fork(): Chance {
    return new Chance(Math.floor(this.next() * 2 ** 32));
  }

  /** Returns a number of the given mean, exponentially distributed. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  /** Returns a lognormal number of mean 1; `sigma` is that of its logarithm. */
  lognormal(sigma: number): number {
    if (sigma === 0) return 1;
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return Math.exp(sigma * normal - (sigma * sigma) / 2);
  }

  /** Returns some of a list, each at most once. */
  pick<T>(list: readonly T[], count: number): T[] {
    const rest = [...list];
    for (let index = 0; index < Math.min(count, rest.length); index += 1) {
      const other = index + Math.floor(this.next() * (rest.length - index));
      [rest[index], rest[other]] = [rest[other] as T, rest[index] as T];
    }
    return rest.slice(0, count);
  }
}

/** Returns a function that draws 0 to `count - 1` by Zipf's law: the n-th with a weight of 1 ÷ n. */
export function zipf(count: number, chance: Chance): () => number {
  const sums: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= count; rank += 1) {
    sum += 1 / rank;
    sums.push(sum);
  }
  return () => {
    const wanted = chance.next() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] as number) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
