import { groupBy } from '../model/group-by.ts';
import { compareText, type Journey, type Offer, ridesOf } from '../model/journey.ts';
import type { Money } from '../model/money.ts';

/** Offers for parts of a journey of more rides are not combined. */
const MAX_RIDES = 8;

/**
 * Returns the least that a journey costs for all who travel: its cheapest offer for all of them and all rides, or offers for parts
 * that together cover each ride of each traveller once, all in one currency: tickets of travellers for the whole way, or of each train
 * for all. Of several currencies the first in the alphabet counts, as in the order of offers. Returns `undefined` when no offers cover
 * the journey.
 *
 * @example
 * cheapestTotal(result.journeys[0]); // { amount: 5900, currency: 'CHF' }
 */
export function cheapestTotal({
  offers,
  legs,
  passengers,
}: Pick<Journey, 'offers' | 'legs'> & { readonly passengers?: number | undefined }):
  | Money
  | undefined {
  const [first] = offers;
  // Most journeys have no offers for parts: the first one is the cheapest.
  if (first === undefined || offers.every(isWhole)) return first?.total;
  const count = ridesOf(legs).length;
  const currencies = new Set(offers.map(({ total }) => total.currency));
  for (const currency of [...currencies].sort(compareText)) {
    const own = offers.filter(({ total }) => total.currency === currency);
    const amount = cheapestParts(own, count, passengers);
    if (amount !== undefined) return { amount, currency };
  }
  return undefined;
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
