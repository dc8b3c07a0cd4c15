import { CarrierError, type Station } from '@ticketing/core';

/**
 * A carrier's code of a station.
 *
 * @throws CarrierError `NOT_SERVED` for a station that the carrier does not know
 */
export function stationCode(carrier: string, { codes, name }: Station): string {
  const code = codes[carrier];
  if (code === undefined) {
    throw new CarrierError(
      'NOT_SERVED',
      `Cannot ask ${carrier}: a station that it serves expected, got ${name}`,
    );
  }
  return code;
}
