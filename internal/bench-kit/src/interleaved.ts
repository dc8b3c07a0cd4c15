import { createProgress, type Progress } from '@ticketing/cli-kit';
import { median, medianRatio } from './statistics.ts';

/** Turns of each item. */
export interface Interleaving {
  readonly rounds: number;
  /** Rounds before the first, with numbers below 0: they compile code, fill pools, open files. Default 1. */
  readonly warmUps?: number;
  /** Subject of the measurement, as the progress shows it. Default `measuring`. */
  readonly title?: string;
  /** Default: on standard error. */
  readonly progress?: Pick<Progress, 'begin' | 'step' | 'end'>;
}

/** One item in one round. */
export interface Turn<Item> {
  readonly item: Item;
  /** Index of the item in the list. */
  readonly place: number;
  /** Number of the round, from `-warmUps` to `rounds - 1`. */
  readonly round: number;
}

/**
 * Yields each item once per round, in odd rounds in reverse order (A B, B A), so that other load on the machine, and what
 * one leaves behind for the next, affects all of them.
 *
 * ```ts
 * for (const { item, place, round } of interleaved(contenders, { rounds })) {
 *   const sample = await measure(item);
 *   if (round >= 0) samples[place]?.push(sample);
 * }
 * ```
 */
export function* interleaved<Item>(
  items: readonly Item[],
  { rounds, warmUps = 1, title = 'measuring', progress = createProgress() }: Interleaving,
): Generator<Turn<Item>, void> {
  progress.begin(title, items.length * (rounds + warmUps));
  try {
    for (let round = -warmUps; round < rounds; round++) {
      const turns = items.map((item, place) => ({ item, place, round }));
      for (const turn of round % 2 === 0 ? turns : turns.reverse()) {
        yield turn;
        progress.step();
      }
    }
  } finally {
    progress.end();
  }
}

/** One way to do the work. The first of a list is the base of the ratios. */
export interface Contender {
  readonly name: string;
  /** Does the work once. */
  readonly work: () => unknown;
}

/** The time of a contender for one piece of work. */
export interface Measured {
  readonly name: string;
  /** Median of the rounds. */
  readonly medianUs: number;
  /** Median of each round's ratio to the first contender in the same round. */
  readonly ratio: number;
}

export interface RoundsOptions {
  readonly rounds: number;
  /** Pieces of work between two readings of the clock, whose cost would count otherwise. */
  readonly repeats: number;
}

/**
 * Measures contenders in interleaved rounds, after a tenth as many rounds to warm up. In each of its turns a contender does
 * its work once before the clock is read.
 */
export async function measureRounds(
  contenders: readonly Contender[],
  { rounds, repeats }: RoundsOptions,
): Promise<Measured[]> {
  const took = contenders.map((): number[] => []);
  const warmUps = Math.ceil(rounds / 10);
  for (const { item, place, round } of interleaved(contenders, { rounds, warmUps })) {
    // Not counted: what the one before has left on the heap and in caches. The first and the last of a list would be spared
    // half of that, because each has two turns in a row.
    await item.work();
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
