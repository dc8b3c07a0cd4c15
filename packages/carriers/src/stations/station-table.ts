import { CarrierError, createStationIndex, type Station, type StationIndex } from '@ticketing/core';
import { stations } from './stations.ts';

/** Finds the stations of the committed table, for adapters and servers. */
export const stationTable: StationIndex = /* @__PURE__ */ createStationIndex(stations);

/**
 * Returns a carrier's code of a station.
 *
 * @throws CarrierError `NOT_SERVED` for a station that the carrier does not know
 */
export function stationCode(carrier: string, { codes, name }: Station): string {
  const code = codes[carrier];
  if (code === undefined) {
    throw new CarrierError('NOT_SERVED', `Cannot ask \`${carrier}\`: it does not serve ${name}`);
  }
  return code;
}
