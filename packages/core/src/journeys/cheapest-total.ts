import { groupBy } from '../model/group-by.ts';
import { compareText, type Journey, type Offer, ridesOf } from '../model/journey.ts';
import type { Money } from '../model/money.ts';
import { type PriceOptions, worthBy } from './currency-rates.ts';

/** Offers for parts of a journey of more rides are not combined. */
const MAX_RIDES = 8;

/** A journey, as far as its price depends on it. */
export type PricedJourney = Pick<Journey, 'offers' | 'legs'> & {
  readonly passengers?: number | undefined;
};

/**
 * Returns the least that a journey costs for all who travel: its cheapest offer for all of them and all rides, or offers for parts
 * that together cover each ride of each traveller once, all in one currency: tickets of travellers for the whole way, or of each train
 * for all. Returns `undefined` when no offers cover the journey, and when offers of several currencies do: amounts of two currencies are
 * compared by `rates` alone, and {@link lowestTotals} has the least of each.
 *
 * @throws TypeError for rates that are no rates
 * @example
 * cheapestTotal(result.journeys[0]); // { amount: 5900, currency: 'CHF' }
 */
export function cheapestTotal(
  journey: PricedJourney,
  { rates }: PriceOptions = {},
): Money | undefined {
  const totals = lowestTotals(journey);
  const [first, ...others] = totals;
  if (first === undefined || others.length === 0) return first;
  const worthOf = worthBy(rates);
  let least: { readonly total: Money; readonly worth: number } | undefined;
  for (const total of totals) {
    const worth = worthOf(total);
    if (worth === undefined) return undefined;
    if (least === undefined || worth < least.worth) least = { total, worth };
  }
  return least?.total;
}

/**
 * Returns the least that a journey costs in each currency in which offers cover it, in the order of their codes.
 *
 * @example
 * lowestTotals(result.journeys[0]); // [{ amount: 20000, currency: 'CHF' }, { amount: 3000, currency: 'EUR' }]
 */
export function lowestTotals({ offers, legs, passengers }: PricedJourney): readonly Money[] {
  const [first] = offers;
  if (first === undefined) return [];
  const areWhole = offers.every(isWhole);
  // Most journeys have no offers for parts: the first one is the cheapest of its currency.
  if (areWhole && offers.at(-1)?.total.currency === first.total.currency) return [first.total];
  const count = ridesOf(legs).length;
  return [...groupBy(offers, ({ total }) => total.currency)]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([currency, own]): Money[] => {
      const amount = areWhole ? own[0]?.total.amount : cheapestParts(own, count, passengers);
      return amount === undefined ? [] : [{ amount, currency }];
    });
}

function isWhole({ rides, passengers }: Offer): boolean {
  return rides === undefined && passengers === undefined;
}

/** An offer, as bits of the rides and of the travellers that it is for. */
interface Part {
  readonly rides: number;
  readonly travellers: number;
  readonly amount: number;
}

/** Without the number of travellers offers for some of them are left out. */
function cheapestParts(
  offers: readonly Offer[],
  count: number,
  passengers: number | undefined,
): number | undefined {
  const isFew = count <= MAX_RIDES;
  const all = { rides: isFew ? 2 ** count - 1 : 1, travellers: 2 ** (passengers ?? 1) - 1 };
  const parts = offers
    .filter((offer) => (isFew || !offer.rides) && (passengers !== undefined || !offer.passengers))
    .map(
      ({ rides, passengers: some, total: { amount } }): Part => ({
        rides: bitsOf(rides) ?? all.rides,
        travellers: bitsOf(some) ?? all.travellers,
        amount,
      }),
    );
  const covers = [cheapestNested(parts, all, 'travellers', 'rides')];
  if (all.travellers > 1) covers.push(cheapestNested(parts, all, 'rides', 'travellers'));
  const amounts = covers.filter((amount) => amount !== undefined);
  return amounts.length === 0 ? undefined : Math.min(...amounts);
}

function bitsOf(places: readonly number[] | undefined): number | undefined {
  return places?.reduce((set, place) => set | (1 << place), 0);
}

/**
 * Returns the least for which parts of the same `outer` cover each `inner` once, and those together each `outer`: bounded, while all
 * sets of both at once are not.
 */
function cheapestNested(
  parts: readonly Part[],
  all: Omit<Part, 'amount'>,
  outer: 'rides' | 'travellers',
  inner: 'rides' | 'travellers',
): number | undefined {
  const covers = [...groupBy(parts, (part) => part[outer])].flatMap(([set, own]) => {
    const amount = cheapestCover(
      own.map((part) => ({ set: part[inner], amount: part.amount })),
      all[inner],
    );
    return amount === undefined ? [] : [{ set, amount }];
  });
  return cheapestCover(covers, all[outer]);
}

/** Returns the least for which parts cover each bit once: exact, over all sets of bits. */
function cheapestCover(
  parts: readonly { readonly set: number; readonly amount: number }[],
  all: number,
): number | undefined {
  const least: (number | undefined)[] = [0];
  for (let covered = 0; covered < all; covered++) {
    const soFar = least[covered];
    if (soFar === undefined) continue;
    // Parts are added by their first bit that is not covered, so that each cover is built once.
    const next = ~covered & (covered + 1);
    for (const { set, amount } of parts) {
      if ((set & next) === 0 || (set & covered) !== 0) continue;
      const known = least[covered | set];
      if (known === undefined || soFar + amount < known) least[covered | set] = soFar + amount;
    }
  }
  return least[all];
}
