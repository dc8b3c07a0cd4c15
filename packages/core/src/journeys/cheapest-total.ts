import { compareText, type Journey, type Offer, ridesOf } from '../model/journey.ts';
import type { Money } from '../model/money.ts';

/** Rides of a journey beyond which offers for parts of it are not combined. */
const MOST_RIDES = 8;

/**
 * Returns the least that a journey costs: its cheapest offer for all rides, or offers for parts that together
 * cover each ride once, of one currency. Of several currencies, that of the first in the alphabet counts, as in
 * the order of offers. `undefined` when no offers cover it.
 *
 * @example
 * cheapestTotal(result.journeys[0]); // { amount: 5900, currency: 'CHF' }
 */
export function cheapestTotal({ offers, legs }: Journey): Money | undefined {
  const [first] = offers;
  // Most journeys: the cheapest offer of all is for the whole.
  if (first === undefined || offers.every(({ rides }) => rides === undefined)) return first?.total;
  const count = ridesOf(legs).length;
  const currencies = [...new Set(offers.map(({ total }) => total.currency))].sort(compareText);
  for (const currency of currencies) {
    const amount = cheapestCover(
      offers.filter(({ total }) => total.currency === currency),
      count,
    );
    if (amount !== undefined) return { amount, currency };
  }
  return undefined;
}

/** The cheapest way to cover each ride once: exact, over the sets of rides that are covered so far. */
function cheapestCover(offers: readonly Offer[], rides: number): number | undefined {
  const whole = 2 ** rides - 1;
  const parts = offers.flatMap(({ rides: covered, total }) => {
    if (covered === undefined) return [{ set: whole, amount: total.amount }];
    if (rides > MOST_RIDES) return [];
    return [{ set: covered.reduce((set, ride) => set | (1 << ride), 0), amount: total.amount }];
  });
  const cheapest = new Map<number, number>([[0, 0]]);
  // A part is added in the order of its first ride, so each cover is built once.
  for (let covered = 0; covered < Math.min(whole, 2 ** MOST_RIDES); covered++) {
    const soFar = cheapest.get(covered);
    if (soFar === undefined) continue;
    const next = ~covered & (covered + 1);
    for (const { set, amount } of parts) {
      if (set === whole ? covered !== 0 : (set & next) === 0 || (set & covered) !== 0) continue;
      const both = covered | set;
      const known = cheapest.get(both);
      if (known === undefined || soFar + amount < known) cheapest.set(both, soFar + amount);
    }
  }
  return cheapest.get(whole);
}
