/** One way to do the work; the first of a list is what the others are compared with. */
export interface Contender {
  readonly name: string;
  /** Does the work once. */
  readonly work: () => unknown;
}

/** What a contender took for one piece of work. */
export interface Measured {
  readonly name: string;
  /** Median of the rounds. */
  readonly medianUs: number;
  /** Median of each round's ratio to the first contender in the same round. */
  readonly ratio: number;
}

/** How long to measure. */
export interface RoundsOptions {
  readonly rounds: number;
  /** Pieces of work in a row, so that the clock's own cost vanishes. */
  readonly repeats: number;
}

/**
 * Measures contenders in interleaved rounds, each round in the opposite order of the one before: what
 * else happens on the machine meets them all. A tenth of the rounds, run first, warm up.
 */
export async function measureRounds(
  contenders: readonly Contender[],
  { rounds, repeats }: RoundsOptions,
): Promise<Measured[]> {
  const took = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  const warmUp = Math.ceil(rounds / 10);
  for (let round = -warmUp; round < rounds; round++) {
    for (const { name, work } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const start = process.hrtime.bigint();
      for (let repeat = 0; repeat < repeats; repeat++) await work();
      const us = Number(process.hrtime.bigint() - start) / 1000 / repeats;
      if (round >= 0) took.get(name)?.push(us);
    }
  }
  const [first] = took.values();
  return [...took].map(([name, us]) => ({
    name,
    medianUs: median(us),
    ratio: median(us.map((each, round) => each / (first?.[round] as number))),
  }));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
