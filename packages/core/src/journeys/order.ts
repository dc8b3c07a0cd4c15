import { compareText, type Journey } from '../model/journey.ts';
import { minutesAfterLast } from '../model/leg-times.ts';
import type { Money } from '../model/money.ts';
import { lowestTotals } from './cheapest-total.ts';
import { type PriceOptions, worthBy } from './currency-rates.ts';
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
  'best',
] as const;
/** Criterion that sorts a list of journeys; equal ones are sorted by id. */
export type JourneyOrder = (typeof JOURNEY_ORDERS)[number];

/** An order, and rates by which prices are compared. */
export interface SortOptions extends PriceOptions {
  readonly order: JourneyOrder;
}

/**
 * Returns journeys sorted into a new list. While ids are unique the order is total: it does not depend on the
 * order of the input.
 * - `arrival`: by the end of the way after the last train
 * - `price`: by the least that they cost, by `rates` where their currencies have one; each other currency is sorted by itself, that of
 *   the most journeys first, and journeys without a price come last. A journey with prices in several of these groups is in the first
 * - `transfers`: the shorter one first of as many changes
 * - `best`: by price and duration, each as a multiple of the least in this list, and a fifth for each change of trains;
 *   currencies and journeys without a price as by `price`
 *
 * @example
 * const cheapestFirst = sortJourneys(result.journeys, 'price');
 */
export function sortJourneys(
  journeys: readonly Journey[],
  by: JourneyOrder | SortOptions,
): Journey[] {
  const { order, ...options } = typeof by === 'string' ? { order: by } : by;
  if (order === 'price') return byCurrency(journeys, options, (_journey, price) => price ?? 0);
  if (order === 'best') return sortByBest(journeys, options);
  return sortByRank(journeys, ranks[order], order === 'transfers' ? compareDurations : compareIds);
}

const ranks = {
  departure: ({ departure }: Journey): number => departure.ms,
  arrival: ({ arrival, legs }: Journey): number => arrival.ms + minutesAfterLast(legs) * 60_000,
  duration: ({ durationMinutes }: Journey): number => durationMinutes,
  transfers: ({ transfers }: Journey): number => transfers,
};

function sortByBest(journeys: readonly Journey[], options: PriceOptions): Journey[] {
  const shortest = least(journeys.map(({ durationMinutes }) => durationMinutes));
  return byCurrency(journeys, options, ({ durationMinutes, transfers }, price, lowest) => {
    const share = price === undefined ? 0 : price / lowest;
    return share + durationMinutes / shortest + CHANGE_SHARE * transfers;
  });
}

/** A journey and its least price among comparable ones; absent: the journey has none. */
type Priced = readonly [journey: Journey, price?: number];

/** Sorts the journeys of each currency by themselves. `lowest` is the least price of a journey's group. */
function byCurrency(
  journeys: readonly Journey[],
  options: PriceOptions,
  rankOf: (journey: Journey, price: number | undefined, lowest: number) => number,
): Journey[] {
  return groupsOf(journeys, options).flatMap((group) => {
    const lowest = least(group.map(([, price = 0]) => price));
    return sortByRank(
      group,
      ([journey, price]) => rankOf(journey, price, lowest),
      ([a], [b]) => compareIds(a, b),
    ).map(([journey]) => journey);
  });
}

/** Group of every currency with a rate. Sorts before the code of each. */
const BY_RATES = '';

/** Returns the journeys by what their prices are compared in: first what most of them have, and last those without a price. */
function groupsOf(journeys: readonly Journey[], { rates }: PriceOptions): readonly Priced[][] {
  const worthOf = worthBy(rates);
  const priceOf = (total: Money): Price => {
    const worth = worthOf(total);
    return worth === undefined ? [total.currency, total.amount] : [BY_RATES, worth];
  };
  const counts = new Map<string, number>();
  const priced = journeys.map((journey) => {
    const prices = leastOfEach(lowestTotals(journey).map(priceOf));
    for (const [unit] of prices) counts.set(unit, (counts.get(unit) ?? 0) + 1);
    return { journey, prices };
  });
  const units = [...counts].sort(([a, x], [b, y]) => y - x || compareText(a, b));
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

/** Returns the least price of each unit. Nearly all journeys have one price. */
function leastOfEach(prices: readonly Price[]): readonly Price[] {
  if (prices.length < 2) return prices;
  const least = new Map<string, number>();
  for (const [unit, price] of prices) least.set(unit, Math.min(price, least.get(unit) ?? price));
  return [...least];
}

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
