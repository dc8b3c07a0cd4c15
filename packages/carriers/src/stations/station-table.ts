import { CarrierError, createStationIndex, type Station, type StationIndex } from '@ticketing/core';
import { cities, stations } from './stations.ts';

/** Finds the stations and cities of the committed table, for adapters and servers. */
export const stationTable: StationIndex = /* @__PURE__ */ createStationIndex(stations, cities);

/** Stations by their codes in a system: the committed table, or another one, such as that of `openStations()` of `@ticketing/stations`. */
export interface StationCodes {
  byCode(system: string, code: string): Station | undefined;
}

/**
 * Returns a carrier's code of a station: the one of `system`, if that is not the carrier's own.
 *
 * @throws CarrierError `NOT_SERVED` for a station that the carrier does not know
 */
export function stationCode(
  carrier: string,
  { codes, name }: Station,
  system: string = carrier,
): string {
  const code = Object.hasOwn(codes, system) ? codes[system] : undefined;
  if (code === undefined) {
    throw new CarrierError('NOT_SERVED', `Cannot ask \`${carrier}\`: it does not serve ${name}`);
  }
  return code;
}
