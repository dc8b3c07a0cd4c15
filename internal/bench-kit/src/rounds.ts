import { interleaved } from './interleaved.ts';
import { median, medianRatio } from './statistics.ts';

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

/** Measures contenders in interleaved rounds. A tenth of the rounds, run first, warm up. */
export async function measureRounds(
  contenders: readonly Contender[],
  { rounds, repeats }: RoundsOptions,
): Promise<Measured[]> {
  const took = contenders.map((): number[] => []);
  const warmUps = Math.ceil(rounds / 10);
  for (const { item, place, round } of interleaved(contenders, { rounds, warmUps })) {
    const start = process.hrtime.bigint();
    for (let repeat = 0; repeat < repeats; repeat++) await item.work();
    const us = Number(process.hrtime.bigint() - start) / 1000 / repeats;
    if (round >= 0) took[place]?.push(us);
  }
  const [first = []] = took;
  return contenders.map(({ name }, place) => {
    const own = took[place] ?? [];
    return { name, medianUs: median(own), ratio: medianRatio(own, first) };
  });
}
