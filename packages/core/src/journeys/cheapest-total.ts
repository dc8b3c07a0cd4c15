import { groupBy } from '../model/group-by.ts';
import { comparedPrice, compareText, type Journey, type Offer, ridesOf } from '../model/journey.ts';
import type { Money } from '../model/money.ts';

/** Offers for parts of a journey of more rides are not combined. */
const MAX_RIDES = 8;

/** A journey, as far as its price depends on it. */
export type PricedJourney = Pick<Journey, 'offers' | 'legs'> & {
  readonly passengers?: number | undefined;
};

/** The least that a journey costs in one currency. */
export interface LowestPrice {
  /** Sum of the converted prices of the offers, of those without one their `total`. */
  readonly total: Money;
  /** Offers to buy: one, or several for parts of the journey or for some of those who travel. */
  readonly offers: readonly Offer[];
}

/**
 * Returns the least that a journey costs for all who travel: its cheapest offer for all of them and all rides, or offers for parts
 * that together cover each ride of each traveller once, all in one currency: tickets of travellers for the whole way, or of each train
 * for all. Converted prices count, where offers have them. Returns `undefined` when no offers cover the journey, and when offers of
 * several currencies do: {@link lowestTotals} has the least of each, and `convertPrices` makes one currency of them.
 *
 * @example
 * cheapestTotal(result.journeys[0]); // { amount: 5900, currency: 'CHF' }
 */
export function cheapestTotal(journey: PricedJourney): Money | undefined {
  const [first, ...others] = lowestPrices(journey);
  return others.length === 0 ? first?.total : undefined;
}

/**
 * Returns the least that a journey costs in each currency in which offers cover it: first by converted prices, then by prices without a rate,
 * in the order of their codes.
 *
 * @example
 * lowestTotals(result.journeys[0]); // [{ amount: 20000, currency: 'CHF' }, { amount: 3000, currency: 'EUR' }]
 */
export function lowestTotals(journey: PricedJourney): readonly Money[] {
  return lowestPrices(journey).map(({ total }) => total);
}

/**
 * Returns what {@link lowestTotals} does, with the offers to buy for it: their own `total` is what is paid.
 *
 * @example
 * const [cheapest] = lowestPrices(result.journeys[0]);
 * cheapest?.offers.map(({ seller, total }) => `${seller} ${formatMoney(total)}`); // ['renfe 59.00 EUR']
 */
export function lowestPrices({ offers, legs, passengers }: PricedJourney): readonly LowestPrice[] {
  const [first] = offers;
  if (first === undefined) return [];
  const areWhole = offers.every(isWhole);
  // Most journeys have no offers for parts, and prices in one currency: the first one is the cheapest.
  if (areWhole && isAlike(first, offers.at(-1) as Offer)) return [lowestOf(first)];
  const count = ridesOf(legs).length;
  return [...groupBy(offers, (offer) => comparedPrice(offer).currency)]
    .sort(([a, own], [b, other]) => rankOf(own) - rankOf(other) || compareText(a, b))
    .flatMap(([currency, own]): LowestPrice[] => {
      if (areWhole) return [lowestOf(own.reduce(cheaperOf))];
      const least = cheapestParts(own, count, passengers);
      return least ? [{ total: { amount: least.amount, currency }, offers: least.offers }] : [];
    });
}

function lowestOf(offer: Offer): LowestPrice {
  return { total: comparedPrice(offer), offers: [offer] };
}

function cheaperOf(a: Offer, b: Offer): Offer {
  return comparedPrice(b).amount < comparedPrice(a).amount ? b : a;
}

/** Offers are in order, so that all between two of one currency are of it too, if both are converted or both are not. */
function isAlike(a: Offer, b: Offer): boolean {
  return (
    comparedPrice(a).currency === comparedPrice(b).currency &&
    (a.converted === undefined) === (b.converted === undefined)
  );
}

/** Converted prices come first. */
function rankOf(offers: readonly Offer[]): number {
  return offers.some(({ converted }) => converted !== undefined) ? 0 : 1;
}

function isWhole({ rides, passengers }: Offer): boolean {
  return rides === undefined && passengers === undefined;
}

/** Offers, and the sum of their prices. */
interface Cost {
  readonly amount: number;
  readonly offers: readonly Offer[];
}

/** An offer, as bits of the rides and of the travellers that it is for. */
interface Part extends Cost {
  readonly rides: number;
  readonly travellers: number;
}

/** Without the number of travellers offers for some of them are left out. */
function cheapestParts(
  offers: readonly Offer[],
  count: number,
  passengers: number | undefined,
): Cost | undefined {
  const isFew = count <= MAX_RIDES;
  const all = { rides: isFew ? 2 ** count - 1 : 1, travellers: 2 ** (passengers ?? 1) - 1 };
  const parts = offers
    .filter((offer) => (isFew || !offer.rides) && (passengers !== undefined || !offer.passengers))
    .map(
      (offer): Part => ({
        rides: bitsOf(offer.rides) ?? all.rides,
        travellers: bitsOf(offer.passengers) ?? all.travellers,
        amount: comparedPrice(offer).amount,
        offers: [offer],
      }),
    );
  const covers = [cheapestNested(parts, all, 'travellers', 'rides')];
  if (all.travellers > 1) covers.push(cheapestNested(parts, all, 'rides', 'travellers'));
  return covers.reduce((least, cost) => (isLess(cost, least) ? cost : least));
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
  all: Omit<Part, keyof Cost>,
  outer: 'rides' | 'travellers',
  inner: 'rides' | 'travellers',
): Cost | undefined {
  const covers = [...groupBy(parts, (part) => part[outer])].flatMap(([set, own]) => {
    const cost = cheapestCover(
      own.map(({ [inner]: bits, amount, offers }) => ({ set: bits, amount, offers })),
      all[inner],
    );
    return cost === undefined ? [] : [{ set, ...cost }];
  });
  return cheapestCover(covers, all[outer]);
}

/** Returns the least for which parts cover each bit once: exact, over all sets of bits. */
function cheapestCover(
  parts: readonly (Cost & { readonly set: number })[],
  all: number,
): Cost | undefined {
  const least: (Cost | undefined)[] = [{ amount: 0, offers: [] }];
  for (let covered = 0; covered < all; covered++) {
    const soFar = least[covered];
    if (soFar === undefined) continue;
    // Parts are added by their first bit that is not covered, so that each cover is built once.
    const next = ~covered & (covered + 1);
    for (const { set, amount, offers } of parts) {
      if ((set & next) === 0 || (set & covered) !== 0) continue;
      const sum = soFar.amount + amount;
      if (!isLess({ amount: sum }, least[covered | set])) continue;
      least[covered | set] = { amount: sum, offers: [...soFar.offers, ...offers] };
    }
  }
  return least[all];
}

function isLess(
  cost: Pick<Cost, 'amount'> | undefined,
  than: Pick<Cost, 'amount'> | undefined,
): boolean {
  return cost !== undefined && (than === undefined || cost.amount < than.amount);
}
