import { compareText, type Journey, type Offer, ridesOf } from '../model/journey.ts';
import type { Money } from '../model/money.ts';

/** Offers for parts of a journey of more rides are not combined. */
const MAX_RIDES = 8;

/**
 * Returns the least that a journey costs: its cheapest offer for all rides, or offers for parts that together
 * cover each ride once, all in one currency. Of several currencies the first in the alphabet counts, as in the order of
 * offers. Returns `undefined` when no offers cover the journey.
 *
 * @example
 * cheapestTotal(result.journeys[0]); // { amount: 5900, currency: 'CHF' }
 */
export function cheapestTotal({
  offers,
  legs,
}: Pick<Journey, 'offers' | 'legs'>): Money | undefined {
  const [first] = offers;
  // Most journeys have no offers for parts: the first one is the cheapest.
  if (first === undefined || offers.every(isWhole)) return first?.total;
  const count = ridesOf(legs).length;
  const currencies = new Set(offers.map(({ total }) => total.currency));
  for (const currency of [...currencies].sort(compareText)) {
    const own = offers.filter(({ total }) => total.currency === currency);
    const amount = count > MAX_RIDES ? own.find(isWhole)?.total.amount : cheapestCover(own, count);
    if (amount !== undefined) return { amount, currency };
  }
  return undefined;
}

function isWhole({ rides }: Offer): boolean {
  return rides === undefined;
}

/** Returns the least for which offers cover each ride once: exact, over all sets of rides as bits. */
function cheapestCover(offers: readonly Offer[], count: number): number | undefined {
  const all = 2 ** count - 1;
  const parts = offers.map(({ rides, total: { amount } }) => ({
    set: rides?.reduce((set, ride) => set | (1 << ride), 0) ?? all,
    amount,
  }));
  const least: (number | undefined)[] = [0];
  for (let covered = 0; covered < all; covered++) {
    const soFar = least[covered];
    if (soFar === undefined) continue;
    // Parts are added by their first ride that is not covered, so that each cover is built once.
    const next = ~covered & (covered + 1);
    for (const { set, amount } of parts) {
      if ((set & next) === 0 || (set & covered) !== 0) continue;
      const known = least[covered | set];
      if (known === undefined || soFar + amount < known) least[covered | set] = soFar + amount;
    }
  }
  return least[all];
}
