/** How often each item has its turn. */
export interface Interleaving {
  readonly rounds: number;
  /** Rounds before the first, whose numbers are below 0: they compile, fill pools, open files. Default 1. */
  readonly warmUps?: number;
}

/** One item in one round. */
export interface Turn<Item> {
  readonly item: Item;
  /** Of the item in the list. */
  readonly place: number;
  /** From `-warmUps` to `rounds - 1`. */
  readonly round: number;
}

/**
 * Gives each item once a round: in even rounds in the given order, in odd ones in the opposite (A B, B A), so that what
 * else happens on the machine, or what one leaves to the next, meets them all.
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
  { rounds, warmUps = 1 }: Interleaving,
): Generator<Turn<Item>, void> {
  for (let round = -warmUps; round < rounds; round++) {
    const turns = items.map((item, place) => ({ item, place, round }));
    yield* round % 2 === 0 ? turns : turns.reverse();
  }
}
