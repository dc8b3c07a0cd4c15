import { compareText, type Journey } from './journey.ts';
import { sortByRank } from './sort-by-rank.ts';

// After the code of every currency.
const SOLD_OUT = '\uffff';

/** The orders in which a list of journeys can be. */
export const JOURNEY_ORDERS = ['price', 'departure', 'arrival', 'duration'] as const;
/** By what a list of journeys is sorted; equal ones by journey id. */
export type JourneyOrder = (typeof JOURNEY_ORDERS)[number];

/**
 * Sorts journeys into a new list. The order is total as long as ids are unique: however the input is
 * shuffled, the list is the same. By price: the cheapest offer counts, currencies are kept apart,
 * sold-out journeys come last.
 *
 * @example
 * const cheapestFirst = sortJourneys(result.journeys, 'price');
 */
export function sortJourneys(journeys: readonly Journey[], order: JourneyOrder): Journey[] {
  switch (order) {
    case 'price':
      return sortByPrice(journeys);
    case 'departure':
      return sortByRank(journeys, ({ departure }) => departure.ms, compareIds);
    case 'arrival':
      return sortByRank(journeys, ({ arrival }) => arrival.ms, compareIds);
    case 'duration':
      return sortByRank(journeys, ({ durationMinutes }) => durationMinutes, compareIds);
  }
}

function sortByPrice(journeys: readonly Journey[]): Journey[] {
  const byCurrency = new Map<string, Journey[]>();
  for (const journey of journeys) {
    const currency = journey.offers[0]?.total.currency ?? SOLD_OUT;
    const priced = byCurrency.get(currency);
    if (priced) priced.push(journey);
    else byCurrency.set(currency, [journey]);
  }
  return [...byCurrency.keys()]
    .sort(compareText)
    .flatMap((currency) => sortByRank(byCurrency.get(currency) ?? [], amountOf, compareIds));
}

function amountOf({ offers: [cheapest] }: Journey): number {
  return cheapest?.total.amount ?? 0;
}

function compareIds(a: Journey, b: Journey): number {
  return compareText(a.id, b.id);
}
