import {
  type CarrierId,
  compareText,
  type Journey,
  type Offer,
  ridesOf,
  type TravelClass,
} from '../model/journey.ts';
import type { Money } from '../model/money.ts';
import { cheapestTotal } from './cheapest-total.ts';

/** How many journeys of a list have a value, and the least that they cost. */
export interface Facet<Value> {
  readonly value: Value;
  readonly count: number;
  /** One per currency, in the order of their codes. Empty: none of them has a price. */
  readonly lowest: readonly Money[];
}

/** What a list of journeys can be narrowed to. Each list is in the order of its values. */
export interface JourneyFacets {
  /** Who answered it. Prices are those of this carrier's offers. */
  readonly carrier: readonly Facet<CarrierId>[];
  /** Of any of its rides. */
  readonly brand: readonly Facet<string>[];
  readonly transfers: readonly Facet<number>[];
  /** Local hour of departure, 0 to 23. */
  readonly hour: readonly Facet<number>[];
  /** Prices are those of offers of this class. */
  readonly travelClass: readonly Facet<TravelClass>[];
  /** Prices are those of offers of this flexibility. */
  readonly flexibility: readonly Facet<Offer['flexibility']>[];
}

/**
 * Returns how many journeys have each carrier, brand, number of transfers, hour of departure, class and flexibility, and
 * their lowest prices.
 *
 * @example
 * facetsOf(journeys).transfers; // [{ value: 0, count: 12, lowest: [{ amount: 1900, currency: 'EUR' }] }]
 */
export function facetsOf(journeys: readonly Journey[]): JourneyFacets {
  const [carrier, brand, transfers] = [counts<CarrierId>(), counts<string>(), counts<number>()];
  const [hour, travelClass] = [counts<number>(), counts<TravelClass>()];
  const flexibility = counts<Offer['flexibility']>();
  for (const journey of journeys) {
    const { departure, legs, offers, sources } = journey;
    const totalOf = (isCounted: (offer: Offer) => boolean): Money | undefined =>
      cheapestTotal({ legs, offers: offers.filter(isCounted) });
    const total = cheapestTotal(journey);
    transfers.add(journey.transfers, total);
    hour.add(Number(departure.iso.slice(11, 13)), total);
    for (const name of distinct(ridesOf(legs).map((ride) => ride.brand))) brand.add(name, total);
    for (const source of sources)
      carrier.add(
        source,
        totalOf(({ seller }) => seller === source),
      );
    for (const value of distinct(offers.map((offer) => offer.travelClass))) {
      travelClass.add(
        value,
        totalOf((offer) => offer.travelClass === value),
      );
    }
    for (const value of distinct(offers.map((offer) => offer.flexibility))) {
      flexibility.add(
        value,
        totalOf((offer) => offer.flexibility === value),
      );
    }
  }
  return {
    carrier: carrier.list(),
    brand: brand.list(),
    transfers: transfers.list(),
    hour: hour.list(),
    travelClass: travelClass.list(),
    flexibility: flexibility.list(),
  };
}

function distinct<T>(values: readonly (T | undefined)[]): Set<T> {
  return new Set(values.filter((value) => value !== undefined));
}

/** Counts the journeys of each value. */
function counts<Value extends string | number>() {
  const found = new Map<Value, { count: number; lowest: Map<string, number> }>();
  return {
    add(value: Value, total: Money | undefined): void {
      let facet = found.get(value);
      if (facet === undefined) {
        facet = { count: 0, lowest: new Map() };
        found.set(value, facet);
      }
      facet.count += 1;
      if (total === undefined) return;
      const { amount, currency } = total;
      const known = facet.lowest.get(currency);
      if (known === undefined || amount < known) facet.lowest.set(currency, amount);
    },
    list: (): Facet<Value>[] =>
      [...found]
        .sort(([a], [b]) => (typeof a === 'number' ? a - Number(b) : compareText(a, String(b))))
        .map(([value, { count, lowest }]) => ({
          value,
          count,
          lowest: [...lowest]
            .sort(([a], [b]) => compareText(a, b))
            .map(([currency, amount]) => ({ amount, currency })),
        })),
  };
}
