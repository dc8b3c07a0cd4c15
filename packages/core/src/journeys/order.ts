import { compareText, type Journey } from '../model/journey.ts';
import { minutesAfterLast } from '../model/leg-times.ts';
import { lowestPrices } from './cheapest-total.ts';
import { sortByRank } from './sort-by-rank.ts';

/** Share of the shortest duration that a change of trains costs in the order `best`. */
const CHANGE_SHARE = 0.2;

/** Every {@link JourneyOrder}. */
export const JOURNEY_ORDERS = [
  'price',
  'departure',
  'arrival',
  'duration',
  'transfers',
  'co2',
  'best',
] as const;
/** Criterion that sorts a list of journeys; equal ones are sorted by id. */
export type JourneyOrder = (typeof JOURNEY_ORDERS)[number];

/**
 * Returns journeys sorted into a new list. While ids are unique the order is total: it does not depend on the
 * order of the input.
 * - `arrival`: by the end of the way after the last train
 * - `price`: by the least that they cost. Converted prices come first; each other currency is sorted by itself, that of the most
 *   journeys first, and journeys without a price come last. A journey with prices in several of these groups is in the first
 * - `transfers`, `co2`: the shorter one first of as many changes or grams; journeys without a figure of emissions come last
 * - `best`: by price and duration, each as a multiple of the least in this list, and a fifth for each change of trains;
 *   currencies and journeys without a price as by `price`
 *
 * @example
 * const cheapestFirst = sortJourneys(result.journeys, 'price');
 */
export function sortJourneys(journeys: readonly Journey[], order: JourneyOrder): Journey[] {
  if (order === 'price') return byCurrency(journeys, (_journey, price) => price ?? 0);
  if (order === 'best') return sortByBest(journeys);
  if (order === 'co2') return sortByCo2(journeys);
  return sortByRank(journeys, ranks[order], order === 'transfers' ? compareDurations : compareIds);
}

const ranks = {
  departure: ({ departure }: Journey): number => departure.ms,
  arrival: ({ arrival, legs }: Journey): number => arrival.ms + minutesAfterLast(legs) * 60_000,
  duration: ({ durationMinutes }: Journey): number => durationMinutes,
  transfers: ({ transfers }: Journey): number => transfers,
};

function sortByCo2(journeys: readonly Journey[]): Journey[] {
  const known = journeys.filter(({ co2 }) => co2 !== undefined);
  const unknown = journeys.filter(({ co2 }) => co2 === undefined);
  return [
    ...sortByRank(known, ({ co2 }) => co2?.grams ?? 0, compareDurations),
    ...sortByRank(unknown, ranks.duration, compareIds),
  ];
}

function sortByBest(journeys: readonly Journey[]): Journey[] {
  const shortest = least(journeys.map(({ durationMinutes }) => durationMinutes));
  return byCurrency(journeys, ({ durationMinutes, transfers }, price, lowest) => {
    const share = price === undefined ? 0 : price / lowest;
    return share + durationMinutes / shortest + CHANGE_SHARE * transfers;
  });
}

/** A journey and its least price among comparable ones; absent: the journey has none. */
type Priced = readonly [journey: Journey, price?: number];

/** Sorts the journeys of each currency by themselves. `lowest` is the least price of a journey's group. */
function byCurrency(
  journeys: readonly Journey[],
  rankOf: (journey: Journey, price: number | undefined, lowest: number) => number,
): Journey[] {
  return groupsOf(journeys).flatMap((group) => {
    const lowest = least(group.map(([, price = 0]) => price));
    return sortByRank(
      group,
      ([journey, price]) => rankOf(journey, price, lowest),
      ([a], [b]) => compareIds(a, b),
    ).map(([journey]) => journey);
  });
}

/** Returns the journeys by the currency in which their prices are compared: converted ones, then that of the most, and last those without a price. */
function groupsOf(journeys: readonly Journey[]): readonly Priced[][] {
  const counts = new Map<string, number>();
  const converted = new Set<string>();
  const priced = journeys.map((journey) => {
    const prices = lowestPrices(journey).map(({ total: { currency, amount }, offers }): Price => {
      counts.set(currency, (counts.get(currency) ?? 0) + 1);
      if (offers[0]?.converted !== undefined) converted.add(currency);
      return [currency, amount];
    });
    return { journey, prices };
  });
  const rank = (currency: string): number => (converted.has(currency) ? 0 : 1);
  const units = [...counts].sort(
    ([a, x], [b, y]) => rank(a) - rank(b) || y - x || compareText(a, b),
  );
  const groups = units.map((): Priced[] => []);
  const places = new Map(units.map(([unit], place) => [unit, place]));
  const placeOf = ([unit]: Price): number => places.get(unit) ?? 0;
  const unpriced: Priced[] = [];
  for (const { journey, prices } of priced) {
    const [first] = prices.length > 1 ? sortByRank(prices, placeOf, () => 0) : prices;
    if (first === undefined) unpriced.push([journey]);
    else groups[placeOf(first)]?.push([journey, first[1]]);
  }
  return [...groups, unpriced];
}

/** Currency of the comparison, and the amount in it. */
type Price = readonly [unit: string, price: number];

/** Returns the least of these above 0, else 1: a divisor. */
function least(values: readonly number[]): number {
  const found = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return found > 0 ? found : 1;
}

function compareDurations(a: Journey, b: Journey): number {
  return a.durationMinutes - b.durationMinutes || compareIds(a, b);
}

function compareIds(a: Journey, b: Journey): number {
  return compareText(a.id, b.id);
}
