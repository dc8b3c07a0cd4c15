import type { Journey } from '../model/journey.ts';
import type { Place, StationId } from '../stations/station-index.ts';
import { type ResolvedQuery, stationsOf } from './search-query.ts';

/** The names of stations in one search, as far as the query and the answers tell them. */
export interface Places {
  /** Adds those of an answer. The first name of an id stays. */
  learn(places: readonly Place[] | undefined): void;
  /** Returns the places of these journeys' legs that were not taken before. An id that nobody named is its own name. */
  take(journeys: readonly Journey[]): Record<StationId, Place>;
}

/** Starts with the stations of a query. */
export function createPlaces({ origin, destination, via }: ResolvedQuery): Places {
  const known = new Map<StationId, Place>();
  const taken = new Set<StationId>();
  for (const { id, name, zone, latitude, longitude } of [
    ...stationsOf(origin),
    ...stationsOf(destination),
    ...(via ? [via] : []),
  ]) {
    known.set(id, { id, name, zone, latitude, longitude });
  }
  return {
    learn(places = []) {
      for (const place of places) if (!known.has(place.id)) known.set(place.id, place);
    },
    take(journeys) {
      const named: Record<StationId, Place> = {};
      for (const { legs } of journeys) {
        for (const { origin: from, destination: to } of legs) {
          for (const id of [from, to]) {
            if (taken.has(id)) continue;
            taken.add(id);
            named[id] = known.get(id) ?? { id, name: id };
          }
        }
      }
      return named;
    },
  };
}
