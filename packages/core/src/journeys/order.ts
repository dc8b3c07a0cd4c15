import { groupBy } from '../model/group-by.ts';
import { compareText, type Journey } from '../model/journey.ts';
import { minutesAfterLast } from '../model/leg-times.ts';
import type { Money } from '../model/money.ts';
import { cheapestTotal } from './cheapest-total.ts';
import { sortByRank } from './sort-by-rank.ts';

// Sorts after the code of every currency.
const NO_PRICE = '\uffff';
/** How much of the shortest duration a change of trains is worth by order `best`. */
const CHANGE_SHARE = 0.2;

/** Every {@link JourneyOrder}. */
export const JOURNEY_ORDERS = [
  'price',
  'departure',
  'arrival',
  'duration',
  'transfers',
  'best',
] as const;
/** What sorts a list of journeys; equal ones are sorted by id. */
export type JourneyOrder = (typeof JOURNEY_ORDERS)[number];

/**
 * Returns journeys sorted into a new list. While ids are unique the order is total: it does not depend on the
 * order of the input.
 * - `arrival`: by the end of the way after the last train
 * - `price`: by `cheapestTotal`; each currency is sorted by itself, and journeys without a price come last
 * - `transfers`: the shorter one first of as many changes
 * - `best`: by price and duration, each as a multiple of the least in this list, and a fifth for each change of trains;
 *   currencies and journeys without a price as by `price`
 *
 * @example
 * const cheapestFirst = sortJourneys(result.journeys, 'price');
 */
export function sortJourneys(journeys: readonly Journey[], order: JourneyOrder): Journey[] {
  if (order === 'price') return byCurrency(journeys, (_journey, total) => total?.amount ?? 0);
  if (order === 'best') return sortByBest(journeys);
  return sortByRank(journeys, ranks[order], order === 'transfers' ? compareDurations : compareIds);
}

const ranks = {
  departure: ({ departure }: Journey): number => departure.ms,
  arrival: ({ arrival, legs }: Journey): number => arrival.ms + minutesAfterLast(legs) * 60_000,
  duration: ({ durationMinutes }: Journey): number => durationMinutes,
  transfers: ({ transfers }: Journey): number => transfers,
};

function sortByBest(journeys: readonly Journey[]): Journey[] {
  const shortest = least(journeys.map(({ durationMinutes }) => durationMinutes));
  return byCurrency(journeys, ({ durationMinutes, transfers }, total, lowest) => {
    const price = total === undefined ? 0 : total.amount / lowest;
    return price + durationMinutes / shortest + CHANGE_SHARE * transfers;
  });
}

type Priced = readonly [journey: Journey, total: Money | undefined];

/** Sorts the journeys of each currency by themselves. `lowest` is the least amount of a journey's currency. */
function byCurrency(
  journeys: readonly Journey[],
  rankOf: (journey: Journey, total: Money | undefined, lowest: number) => number,
): Journey[] {
  const priced = journeys.map((journey): Priced => [journey, cheapestTotal(journey)]);
  const groups = groupBy(priced, ([, total]) => total?.currency ?? NO_PRICE);
  return [...groups.keys()].sort(compareText).flatMap((currency) => {
    const group = groups.get(currency) ?? [];
    const lowest = least(group.map(([, total]) => total?.amount ?? 0));
    return sortByRank(
      group,
      ([journey, total]) => rankOf(journey, total, lowest),
      ([a], [b]) => compareIds(a, b),
    ).map(([journey]) => journey);
  });
}

/** Returns the least of these, 1 at least: a divisor. */
function least(values: readonly number[]): number {
  return Math.max(
    1,
    values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
  );
}

function compareDurations(a: Journey, b: Journey): number {
  return a.durationMinutes - b.durationMinutes || compareIds(a, b);
}

function compareIds(a: Journey, b: Journey): number {
  return compareText(a.id, b.id);
}
