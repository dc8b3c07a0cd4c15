import { CarrierError, createStationIndex, type Station, type StationIndex } from '@ticketing/core';
import { cities, stations } from './stations.ts';

/** Finds the stations and cities of the committed table, for adapters and servers. */
export const stationTable: StationIndex = /* @__PURE__ */ createStationIndex(stations, cities);

/** Stations by their codes in a system: the committed table, or another one, such as that of `openStations()` of `@ticketing/stations`. */
export interface StationCodes {
  byCode(system: string, code: string): Station | undefined;
}

/**
 * Returns a carrier's code of a station: the one of `system`, if that is not the carrier's own. A station of another table, which has
 * no such code, is found in the committed one by its UIC number.
 *
 * @throws CarrierError `NOT_SERVED` for a station that the carrier does not know
 */
export function stationCode(carrier: string, station: Station, system: string = carrier): string {
  const code = codeOf(station, system) ?? codeOf(sameInTable(station), system);
  if (code === undefined) {
    throw new CarrierError(
      'NOT_SERVED',
      `Cannot ask \`${carrier}\`: it does not serve ${station.name}`,
    );
  }
  return code;
}

function codeOf(station: Station | undefined, system: string): string | undefined {
  return station && Object.hasOwn(station.codes, system) ? station.codes[system] : undefined;
}

function sameInTable(station: Station): Station | undefined {
  const uic = codeOf(station, 'uic');
  return uic === undefined ? undefined : stationTable.byCode('uic', uic);
}
