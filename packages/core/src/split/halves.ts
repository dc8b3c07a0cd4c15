import { lowestTotals, type PricedJourney } from '../journeys/cheapest-total.ts';
import type { SameStops } from '../journeys/same-stops.ts';
import { groupBy } from '../model/group-by.ts';
import { type Journey, type Offer, ridesOf } from '../model/journey.ts';
import { minutesAfterLast, minutesBeforeFirst } from '../model/leg-times.ts';
import type { StationId } from '../stations/station-index.ts';

const MINUTE_MS = 60_000;

/** A journey that ends or begins at a hub. */
export interface Half {
  readonly journey: Journey;
  /** Epoch ms, with the ways on foot: latest arrival at the hub, planned or expected; of a second half earliest departure. */
  readonly atHubMs: number;
  /** Least price in each currency. Empty: the price is not known. */
  readonly totals: ReadonlyMap<string, number>;
}

/** Tells whether a station belongs to a hub. */
export type IsAtHub = (station: StationId) => boolean;

/** Returns whether a station is one of these, also under another id of the same stop. */
export function hubStations(ids: readonly StationId[], stops: SameStops | undefined): IsAtHub {
  const idOf = (id: StationId): StationId => stops?.get(id) ?? id;
  const known = new Set(ids.map(idOf));
  return (station) => known.has(idOf(station));
}

/** Returns the journeys that bring a traveller to a hub. */
export function halvesTo(journeys: readonly Journey[], isAtHub: IsAtHub): readonly Half[] {
  return journeys.flatMap((journey): Half[] => {
    const { legs, arrival } = journey;
    const end = legs.at(-1);
    const isLost = end?.kind === 'transfer' && end.nearby;
    if (end === undefined || isLost || !isAtHub(end.destination) || !canBeTaken(journey)) return [];
    const expected = ridesOf(legs).at(-1)?.expectedArrival ?? arrival;
    const atHubMs = Math.max(arrival.ms, expected.ms) + minutesAfterLast(legs) * MINUTE_MS;
    return [{ journey, atHubMs, totals: totalsOf(journey) }];
  });
}

/** Returns the journeys that a traveller can take from a hub. */
export function halvesFrom(journeys: readonly Journey[], isAtHub: IsAtHub): readonly Half[] {
  return journeys.flatMap((journey): Half[] => {
    const { legs, departure } = journey;
    const [begin] = legs;
    const isLost = begin?.kind === 'transfer' && begin.nearby;
    if (begin === undefined || isLost || !isAtHub(begin.origin) || !canBeTaken(journey)) return [];
    const expected = ridesOf(legs)[0]?.expectedDeparture ?? departure;
    const atHubMs = Math.min(departure.ms, expected.ms) - minutesBeforeFirst(legs) * MINUTE_MS;
    return [{ journey, atHubMs, totals: totalsOf(journey) }];
  });
}

/** Returns whether a journey runs, and is not sold out. */
export function canBeTaken({ legs, offers, sources, unpriced = [] }: Journey): boolean {
  if (offers.length === 0 && sources.some((source) => !unpriced.includes(source))) return false;
  return legs.every((leg) => (leg.kind === 'ride' ? !leg.cancelled : leg.risk !== 'missed'));
}

/**
 * Returns the least price of a half in each currency. Tickets for some travellers count ride by ride, so that the prices of two halves
 * add up to a price of both.
 */
function totalsOf({ offers, legs, passengers }: Journey): ReadonlyMap<string, number> {
  if (passengers === undefined) return totalsByCurrency({ offers, legs });
  const forAll = [...groupBy(offers, ({ rides }) => rides?.join()).values()].flatMap((own) =>
    lowestTotals({ offers: own.map(wholeWay), legs, passengers }).map((total): Offer => {
      const { passengers: _, ...offer } = own[0] as Offer;
      return { ...offer, total };
    }),
  );
  return totalsByCurrency({ offers: forAll, legs });
}

function wholeWay({ rides: _, ...offer }: Offer): Offer {
  return offer;
}

/** Returns the least price of a journey in each currency. */
export function totalsByCurrency(journey: PricedJourney): ReadonlyMap<string, number> {
  return new Map(lowestTotals(journey).map(({ currency, amount }) => [currency, amount]));
}

/** Returns when a traveller is there, after the way from the last train. */
export function arrivalMsOf({ arrival, legs }: Journey): number {
  return arrival.ms + minutesAfterLast(legs) * MINUTE_MS;
}

/** Returns when a traveller leaves for the first train. */
export function departureMsOf({ departure, legs }: Journey): number {
  return departure.ms - minutesBeforeFirst(legs) * MINUTE_MS;
}
