import type { CarrierCapabilities, NativeField } from '../contract/carrier.ts';
import type { CarrierQuery, ResolvedQuery } from '../contract/search-query.ts';
import { type Journey, type Leg, type RideLeg, ridesOf } from '../model/journey.ts';
import { presentFields } from '../model/present-fields.ts';
import { isAskedByDay } from './day-parts.ts';
import { stationsOf } from './resolve-query.ts';

/** A field of a query that a carrier does not heed and that its journeys do not tell. */
export type IgnoredField = 'ages' | 'cards';

/** Returns the fields of a query that a carrier answers itself: without the others its answer is larger. */
export function nativeFields(
  query: ResolvedQuery,
  capabilities: CarrierCapabilities = {},
): Omit<CarrierQuery, 'origin' | 'destination'> {
  const { native = [] } = capabilities;
  const { date, passengers, time, arriveBy, via, maxTransfers, travelClass, stops, currency } =
    query;
  const timed = time !== undefined && !isAskedByDay(capabilities, query);
  const own = <T>(field: NativeField, value: T): T | undefined =>
    native.includes(field) ? value : undefined;
  return {
    date,
    passengers,
    ...(timed && presentFields({ time, arriveBy })),
    ...presentFields({
      via: via && 'members' in via ? undefined : own('via', via),
      maxTransfers: own('maxTransfers', maxTransfers),
      travelClass: own('travelClass', travelClass),
      stops,
      currency: own('currency', currency),
    }),
  };
}

/** Leaves out what the query does not ask for and the carrier could not leave out itself. */
export function applyOtherFields(
  journeys: readonly Journey[],
  { via, maxTransfers, travelClass, stops }: ResolvedQuery,
  { native = [] }: CarrierCapabilities = {},
): readonly Journey[] {
  let kept = stops || !journeys.some(hasStopsWithin) ? journeys : journeys.map(withoutStops);
  if (via !== undefined && ('members' in via || !native.includes('via'))) {
    const ids = stationsOf(via).map(({ id }) => id);
    kept = kept.filter(({ legs }) =>
      ridesOf(legs)
        .slice(0, -1)
        .some(({ destination }) => ids.includes(destination)),
    );
  }
  if (maxTransfers !== undefined && !native.includes('maxTransfers')) {
    kept = kept.filter(({ transfers }) => transfers <= maxTransfers);
  }
  if (travelClass === undefined || native.includes('travelClass')) return kept;
  return kept.map((journey) => ({
    ...journey,
    offers: journey.offers.filter(
      (offer) => offer.travelClass === travelClass || offer.travelClass === 'any',
    ),
  }));
}

/** Returns a journey without the stations between the ends of its rides: the same one if it has none. */
function withoutStops(journey: Journey): Journey {
  if (!hasStopsWithin(journey)) return journey;
  const legs = journey.legs.map((leg): Leg => {
    if (leg.kind === 'transfer' || !hasStops(leg)) return leg;
    const { stops: _, sections, ...ride } = leg;
    return {
      ...ride,
      ...(sections && { sections: sections.map(({ stops: _, ...section }) => section) }),
    };
  });
  return { ...journey, legs };
}

function hasStopsWithin({ legs }: Journey): boolean {
  for (const leg of legs) if (leg.kind === 'ride' && hasStops(leg)) return true;
  return false;
}

function hasStops({ stops, sections }: RideLeg): boolean {
  return stops !== undefined || sections?.some((section) => section.stops !== undefined) === true;
}

/** Returns what a carrier does not read of passengers, `undefined` when it reads everything. */
export function ignoredFields(
  { passengers }: ResolvedQuery,
  { passengers: read = 'count' }: CarrierCapabilities = {},
): readonly IgnoredField[] | undefined {
  const ignored: IgnoredField[] = [];
  if (read === 'count' && passengers.some(({ age }) => age !== undefined)) ignored.push('ages');
  if (read !== 'cards' && passengers.some(({ cards }) => cards !== undefined))
    ignored.push('cards');
  return ignored.length > 0 ? ignored : undefined;
}
