import { stationTable } from '@ticketing/carriers';
import type { Hub, SearchQuery, Station, StationGroup } from '@ticketing/core';

/** A hub of the settings: a station or city that carriers serve, and the least minutes of a connection there. */
export interface HubSetting {
  readonly id: string;
  readonly minMinutes: number;
}

/** Most hubs of one search. */
const MAX_HUBS = 3;
/** Longest way over a hub, as a multiple of the way without it. */
const MAX_DETOUR = 1.5;
const KM_PER_DEGREE = 111.195;

/**
 * Returns the hubs between the ends of a query: at most three, those with the shortest way over them first. A hub that is out of the way, or
 * shares a station with an end, is none.
 */
export function hubsBetween(
  { origin, destination }: Pick<SearchQuery, 'origin' | 'destination'>,
  settings: readonly HubSetting[],
): readonly Hub[] {
  const straight = kilometresApart(origin, destination);
  const ends = new Set([...idsOf(origin), ...idsOf(destination)]);
  return settings
    .flatMap(({ id, minMinutes }) => {
      const at = stationTable.byId(id);
      if (at === undefined || idsOf(at).some((one) => ends.has(one))) return [];
      const km = kilometresApart(origin, at) + kilometresApart(at, destination);
      return km <= straight * MAX_DETOUR ? [{ km, hub: { at, minMinutes } }] : [];
    })
    .sort((a, b) => a.km - b.km)
    .slice(0, MAX_HUBS)
    .map(({ hub }) => hub);
}

function idsOf(end: Station | StationGroup): readonly string[] {
  return 'members' in end ? [end, ...end.members].map(({ id }) => id) : [end.id];
}

/** On a plane between the latitudes: exact enough to compare ways within a continent. */
function kilometresApart(a: Station, b: Station): number {
  const north = a.latitude - b.latitude;
  const east = (a.longitude - b.longitude) * Math.cos(((a.latitude + b.latitude) * Math.PI) / 360);
  return Math.hypot(north, east) * KM_PER_DEGREE;
}
