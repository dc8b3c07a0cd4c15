import type { CarrierSimId } from './sim-carriers.ts';
import type { Train } from './train.ts';

/** Returns the least price of a seller's trains for one person, in hundredths; `undefined` without a price. */
export function leastCents(trains: readonly Train[], seller: CarrierSimId): number | undefined {
  const prices = trains.flatMap(({ fares }) =>
    fares.filter((fare) => fare.seller === seller).map(({ cents }) => cents),
  );
  return prices.length === 0 ? undefined : prices.reduce((a, b) => Math.min(a, b));
}
