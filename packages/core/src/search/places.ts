import type { ResolvedQuery } from '../contract/search-query.ts';
import type { CarrierId, Journey, Leg } from '../model/journey.ts';
import type { Place, StationId } from '../stations/station-index.ts';
import { stationsOf } from './resolve-query.ts';

/** The places of one search, as far as the query and the answers name them. */
export interface Places {
  /** Adds the places of an answer. Of several names, the name in the query counts, then the name of the first carrier in order. */
  learn(carrier: CarrierId, places: readonly Place[] | undefined): void;
  /** Returns a place, as far as it is known by now. Needs no `this`. */
  readonly find: (id: StationId) => Place | undefined;
  /** Returns every place so far. */
  all(): Iterable<Place>;
  /** Returns the places of these journeys that are new, and places returned before whose name is another now. */
  take(journeys: readonly Journey[]): Record<StationId, Place>;
}

/** Starts with the stations of a query. An id without a name is its own name. */
export function createPlaces(
  { origin, destination, via }: ResolvedQuery,
  carriers: readonly { readonly id: CarrierId }[],
): Places {
  const known = new Map<StationId, { readonly place: Place; readonly rank: number }>();
  const renamed = new Set<StationId>();
  const taken = new Set<StationId>();
  for (const station of [origin, destination, ...(via ? [via] : [])].flatMap(stationsOf)) {
    const { id, name, zone, latitude, longitude } = station;
    known.set(id, { place: { id, name, zone, latitude, longitude }, rank: -1 });
  }
  return {
    learn(carrier, places = []) {
      if (places.length === 0) return;
      const rank = carriers.findIndex(({ id }) => id === carrier);
      for (const place of places) {
        const before = known.get(place.id);
        if (before !== undefined && before.rank <= rank) continue;
        known.set(place.id, { place, rank });
        if (taken.has(place.id) && JSON.stringify(place) !== JSON.stringify(before?.place)) {
          renamed.add(place.id);
        }
      }
    },
    find: (id) => known.get(id)?.place,
    *all() {
      for (const { place } of known.values()) yield place;
    },
    take(journeys) {
      const fresh = new Set(renamed);
      renamed.clear();
      let [from, to]: StationId[] = [];
      const add = (id: StationId): void => {
        if (!taken.has(id)) fresh.add(id);
      };
      for (const { legs } of journeys) {
        const first = legs[0];
        // Most journeys are between the stations of the one before.
        const isKnown = legs.length === 1 && first?.origin === from && first?.destination === to;
        if (isKnown && isPlain(first)) continue;
        for (const leg of legs) {
          [from, to] = [leg.origin, leg.destination];
          add(from);
          add(to);
          for (const station of isPlain(leg) ? [] : stationsWithin(leg)) add(station);
        }
      }
      const places: Record<StationId, Place> = {};
      for (const id of fresh) {
        taken.add(id);
        places[id] = known.get(id)?.place ?? { id, name: id };
      }
      return places;
    },
  };
}

function isPlain(leg: Leg | undefined): boolean {
  return leg?.kind !== 'ride' || (leg.stops === undefined && leg.sections === undefined);
}

/** Returns the stations of a ride besides its ends, some more than once. */
function stationsWithin(leg: Leg): readonly StationId[] {
  if (leg.kind === 'transfer') return [];
  const { stops = [], sections = [] } = leg;
  return [
    ...sections.flatMap(({ origin, destination }) => [origin, destination]),
    ...[...stops, ...sections.flatMap((section) => section.stops ?? [])].map(
      ({ station }) => station,
    ),
  ];
}
