import { compareText, type Journey } from '../model/journey.ts';
import { cheapestTotal } from './cheapest-total.ts';
import { sortByRank } from './sort-by-rank.ts';

// Sorts after the code of every currency.
const SOLD_OUT = '\uffff';

/** Every {@link JourneyOrder}. */
export const JOURNEY_ORDERS = ['price', 'departure', 'arrival', 'duration'] as const;
/** What sorts a list of journeys; equal ones are sorted by id. */
export type JourneyOrder = (typeof JOURNEY_ORDERS)[number];

/**
 * Returns journeys sorted into a new list. While ids are unique the order is total: it does not depend on the
 * order of the input. By price: `cheapestTotal` counts, each currency is sorted by itself, and journeys without a
 * price come last.
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
    const currency = cheapestTotal(journey)?.currency ?? SOLD_OUT;
    const priced = byCurrency.get(currency);
    if (priced) priced.push(journey);
    else byCurrency.set(currency, [journey]);
  }
  return [...byCurrency.keys()]
    .sort(compareText)
    .flatMap((currency) => sortByRank(byCurrency.get(currency) ?? [], amountOf, compareIds));
}

function amountOf(journey: Journey): number {
  return cheapestTotal(journey)?.amount ?? 0;
}

function compareIds(a: Journey, b: Journey): number {
  return compareText(a.id, b.id);
}
