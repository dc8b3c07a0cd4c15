import type { Place, Station, StationId } from '@ticketing/core';
import type { Feed } from '../feed/feed.ts';

/** Kilometres within which a station of the table is the one where trains of the feed call. */
const NEAR_KM = 0.3;

/** Stations of a search. `openStations()` of `@ticketing/stations` returns one. */
export interface GtfsStations {
  byCode?(system: string, code: string): Station | undefined;
  /** Stations near a point, the nearest first. */
  near?(
    point: { readonly latitude: number; readonly longitude: number },
    options: { readonly radiusKm: number; readonly limit: number },
  ): readonly { readonly station: Station; readonly km: number }[];
}

/** A stop or station as the feed has it. */
export interface GtfsStop {
  /** `stop_id` */
  readonly id: string;
  /** `stop_code`, or an empty text. */
  readonly code: string;
  readonly name: string;
}

/** A code of a stop in a system, such as `{ system: 'uic', code: '8503000' }`. */
export interface StopCode {
  readonly system: string;
  readonly code: string;
}

/** Returns the code of a stop, `undefined` without one. */
export type CodeOf = (stop: GtfsStop) => StopCode | undefined;

/** Stations where the vehicles of a feed call, by their rows. */
export interface ServedStations {
  /** Rows of the feed that a station of a query means. */
  rowsOf(station: Station): readonly number[];
  /** Nodes of the stops of a row. */
  nodesOf(row: number): readonly number[];
  /** The station of a row, or a place of its own. */
  placeOf(row: number): Place;
}

/**
 * Finds the stations of a feed in the table, each once: by the code that `codeOf` gives, else by coordinates where trains call. A
 * station that the table lacks is a place of its own.
 */
export function serveStations(
  feed: Feed,
  {
    id,
    stations,
    codeOf,
  }: {
    readonly id: string;
    readonly stations: GtfsStations;
    readonly codeOf: CodeOf;
  },
): ServedStations {
  const { stops } = feed;
  const nodes = nodesByStation(feed);
  const hasTrains = stationsWithTrains(feed);
  const rowsByKey = new Map<string, number[]>();
  const places = new Map<number, Place>();
  const addKey = (key: string, row: number): void => {
    const rows = rowsByKey.get(key);
    if (rows) rows.push(row);
    else rowsByKey.set(key, [row]);
  };
  for (const row of nodes.keys()) {
    const stop = {
      id: stops.ids[row] ?? '',
      code: stops.codes[row] ?? '',
      name: stops.names[row] ?? '',
    };
    const coded = codeOf(stop);
    const station =
      (coded && stations.byCode?.(coded.system, coded.code)) ??
      (hasTrains.has(row) ? nearest(feed, row, stations) : undefined);
    const place = station ? placeOfStation(station) : placeOfStop(feed, row, id);
    places.set(row, place);
    addKey(place.id, row);
    if (coded && station === undefined) addKey(keyOf(coded), row);
  }
  return {
    rowsOf(station) {
      const own = rowsByKey.get(station.id);
      if (own) return own;
      for (const [system, code] of Object.entries(station.codes)) {
        const rows = rowsByKey.get(keyOf({ system, code }));
        if (rows) return rows;
      }
      return [];
    },
    nodesOf: (row) => nodes.get(row) ?? [],
    placeOf: (row) => places.get(row) as Place,
  };
}

function keyOf({ system, code }: StopCode): StationId {
  return `${system}:${code}`;
}

/** Nodes of each station where a vehicle calls. */
function nodesByStation({ stops }: Feed): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const [stop, node] of stops.nodes.entries()) {
    if (node < 0) continue;
    const station = stops.stations[stop] as number;
    const list = found.get(station) ?? [];
    found.set(station, list);
    if (!list.includes(node)) list.push(node);
  }
  return found;
}

function stationsWithTrains({ routes, trips, stopTimes, stops }: Feed): ReadonlySet<number> {
  const found = new Set<number>();
  for (let trip = 0; trip < trips.routes.length; trip++) {
    if (routes[trips.routes[trip] as number]?.mode !== undefined) continue;
    for (
      let row = trips.firstRows[trip] as number;
      row < (trips.firstRows[trip + 1] as number);
      row++
    ) {
      found.add(stops.stations[stopTimes.stops[row] as number] as number);
    }
  }
  return found;
}

function nearest({ stops }: Feed, row: number, stations: GtfsStations): Station | undefined {
  const point = {
    latitude: stops.latitudes[row] as number,
    longitude: stops.longitudes[row] as number,
  };
  if (Number.isNaN(point.latitude) || Number.isNaN(point.longitude)) return undefined;
  return stations.near?.(point, { radiusKm: NEAR_KM, limit: 1 })[0]?.station;
}

function placeOfStation({ id, name, zone, latitude, longitude }: Station): Place {
  return { id, name, zone, latitude, longitude };
}

function placeOfStop({ stops, agencies, connections }: Feed, row: number, carrier: string): Place {
  const latitude = stops.latitudes[row] as number;
  const longitude = stops.longitudes[row] as number;
  const zone = stops.zones[row] || connections.zones[agencies[0]?.zone ?? 0];
  return {
    id: `${carrier}:${stops.ids[row]}`,
    name: stops.names[row] || (stops.ids[row] as string),
    ...(zone && { zone }),
    ...(!Number.isNaN(latitude) && !Number.isNaN(longitude) && { latitude, longitude }),
  };
}
