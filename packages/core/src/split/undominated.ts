import { groupBy } from '../model/group-by.ts';
import { compareText } from '../model/journey.ts';

/** A choice of a traveller, as far as it is compared with others. */
export interface Choice {
  /** End of the way after the last train, epoch ms. */
  readonly arrivalMs: number;
  /** Begin of the way to the first train, epoch ms. */
  readonly departureMs: number;
  readonly transfers: number;
  /** Least price in each currency. Empty: the price is not known. */
  readonly totals: ReadonlyMap<string, number>;
  /** Unique among the choices. */
  readonly id: string;
}

/**
 * Returns the choices that no other dominates, in the order of arrival. Another one dominates a choice if it arrives no later, has no
 * more changes and costs no more; a price that is not known counts as higher than any. Of choices that are equal in all three, the
 * one that departs last stays. Prices are compared in each currency by itself: a choice with prices in several stays if it is not
 * dominated in one of them.
 */
export function undominated<T extends Choice>(choices: readonly T[]): T[] {
  const kept = new Set(undominatedUnpriced(choices));
  const priced = choices.flatMap((choice) =>
    [...choice.totals].map(([currency, amount]) => ({ currency, amount, choice })),
  );
  for (const group of groupBy(priced, ({ currency }) => currency).values()) {
    group.sort(
      (a, b) =>
        a.choice.arrivalMs - b.choice.arrivalMs ||
        a.amount - b.amount ||
        a.choice.transfers - b.choice.transfers ||
        compareEqual(a.choice, b.choice),
    );
    // Least amount so far by the number of changes, of which there are few.
    const least: number[] = [];
    for (const { amount, choice } of group) {
      const { transfers } = choice;
      if (least.slice(0, transfers + 1).some((known) => known <= amount)) continue;
      least[transfers] = amount;
      kept.add(choice);
    }
  }
  return [...kept].sort((a, b) => a.arrivalMs - b.arrivalMs || compareEqual(a, b));
}

/** Returns those without a price that have fewer changes than all that arrive before, or at the same time. */
function undominatedUnpriced<T extends Choice>(choices: readonly T[]): readonly T[] {
  const isPriced = ({ totals }: Choice): number => (totals.size > 0 ? 0 : 1);
  const sorted = [...choices].sort(
    (a, b) =>
      a.arrivalMs - b.arrivalMs ||
      a.transfers - b.transfers ||
      isPriced(a) - isPriced(b) ||
      compareEqual(a, b),
  );
  let fewest = Number.POSITIVE_INFINITY;
  return sorted.filter((choice) => {
    if (choice.transfers >= fewest) return false;
    fewest = choice.transfers;
    return choice.totals.size === 0;
  });
}

/** Compares choices that are equal otherwise: the one that departs last comes first. */
function compareEqual(a: Choice, b: Choice): number {
  return b.departureMs - a.departureMs || compareText(a.id, b.id);
}
