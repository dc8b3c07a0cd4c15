import type { CarrierCapabilities, NativeField } from '../carrier.ts';
import { type Journey, ridesOf } from '../model/journey.ts';
import { presentFields } from '../model/present-fields.ts';
import { isAskedByDay } from './day-parts.ts';
import { type CarrierQuery, type ResolvedQuery, stationsOf } from './search-query.ts';

/** A field of a query that a carrier does not heed and that its journeys do not tell. */
export type IgnoredField = 'ages' | 'cards';

/** Returns the fields of a query that a carrier answers itself: without the others its answer is larger. */
export function nativeFields(
  query: ResolvedQuery,
  capabilities: CarrierCapabilities = {},
): Omit<CarrierQuery, 'origin' | 'destination'> {
  const { native = [] } = capabilities;
  const { date, passengers, time, arriveBy, via, maxTransfers, travelClass, stops } = query;
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
    }),
  };
}

/** Leaves out what the query does not ask for and the carrier could not leave out itself. */
export function applyOtherFields(
  journeys: readonly Journey[],
  { via, maxTransfers, travelClass }: ResolvedQuery,
  { native = [] }: CarrierCapabilities = {},
): readonly Journey[] {
  let kept = journeys;
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
