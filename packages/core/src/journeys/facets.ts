import {
  type CarrierId,
  compareText,
  type Journey,
  type Offer,
  ridesOf,
  type TravelClass,
} from '../model/journey.ts';
import type { Money } from '../model/money.ts';
import { lowestTotals } from './cheapest-total.ts';
import { leavesAt } from './filter-journeys.ts';

/** Number of journeys of a list that have a value, and their lowest prices. */
export interface Facet<Value> {
  readonly value: Value;
  readonly count: number;
  /** One per currency, in the order of their codes. Empty: none of them has a price. */
  readonly lowest: readonly Money[];
}

/** Values to which a list of journeys can be narrowed. Each list is in the order of its values. */
export interface JourneyFacets {
  /** Carriers that answered a journey, with the prices of their offers. */
  readonly carrier: readonly Facet<CarrierId>[];
  /** Brands of any ride of a journey. */
  readonly brand: readonly Facet<string>[];
  readonly transfers: readonly Facet<number>[];
  /** Local hour of departure, from the door, 0 to 23. */
  readonly hour: readonly Facet<number>[];
  /** Classes, with the prices of offers of each. */
  readonly travelClass: readonly Facet<TravelClass>[];
  /** Flexibilities, with the prices of offers of each. */
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
  return {
    carrier: facet(journeys, ({ sources }) => sources, 'seller'),
    brand: facet(journeys, ({ legs }) => ridesOf(legs).map(({ brand }) => brand)),
    transfers: facet(journeys, ({ transfers }) => [transfers]),
    hour: facet(journeys, (journey) => [Number(leavesAt(journey).slice(0, 2))]),
    travelClass: facet(journeys, valuesOf('travelClass'), 'travelClass'),
    flexibility: facet(journeys, valuesOf('flexibility'), 'flexibility'),
  };
}

function valuesOf<Field extends 'travelClass' | 'flexibility'>(field: Field) {
  return ({ offers }: Journey): Offer[Field][] => offers.map((offer) => offer[field]);
}

/** Counts the journeys of each value. Prices are of all offers, or of the offers that have the value in `field`. */
function facet<Value extends string | number>(
  journeys: readonly Journey[],
  valuesIn: (journey: Journey) => readonly (Value | undefined)[],
  field?: 'seller' | 'travelClass' | 'flexibility',
): Facet<Value>[] {
  const found = new Map<Value, { count: number; lowest: Map<string, number> }>();
  for (const journey of journeys) {
    const { legs, offers, passengers } = journey;
    for (const value of new Set(valuesIn(journey))) {
      if (value === undefined) continue;
      const { count, lowest } = found.get(value) ?? { count: 0, lowest: new Map() };
      found.set(value, { count: count + 1, lowest });
      const counted = field ? offers.filter((offer) => offer[field] === value) : offers;
      for (const { amount, currency } of lowestTotals({ legs, offers: counted, passengers })) {
        lowest.set(currency, Math.min(amount, lowest.get(currency) ?? amount));
      }
    }
  }
  return [...found]
    .sort(([a], [b]) => (typeof a === 'number' ? a - Number(b) : compareText(a, String(b))))
    .map(([value, { count, lowest }]) => ({
      value,
      count,
      lowest: [...lowest]
        .sort(([a], [b]) => compareText(a, b))
        .map(([currency, amount]) => ({ amount, currency })),
    }));
}
