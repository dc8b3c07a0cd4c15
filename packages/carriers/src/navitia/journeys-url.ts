import { CarrierError, type CarrierQuery } from '@ticketing/core';
import { type StopAreas, stopAreaOf } from './stops.ts';

/** Journeys that one request asks for: that leave at an instant or after it, or that arrive at it or before it. */
export interface NavitiaAsk {
  readonly by: 'departure' | 'arrival';
  readonly atMs: number;
  /** Other end of the time in which all journeys are wanted. Absent: the nearest ones. */
  readonly toMs?: number;
  /** Least journeys. */
  readonly results: number;
}

/** Server, and how it names its stations. */
export interface NavitiaServer {
  readonly carrier: string;
  /** Address of journeys. */
  readonly url: string;
  readonly stopArea: StopAreas;
  readonly freshness: 'base_schedule' | 'realtime';
}

/** Longest address that servers read. */
const MAX_URL = 4096;
const LONGEST_SECONDS = 86_400;

/**
 * Returns the address of a question. Its time is in UTC, so that no server reads it on other clocks; shapes of ways are left out, which
 * would be most of an answer.
 *
 * @throws CarrierError `NOT_SERVED` for a station that the server does not know, `BAD_REQUEST` for ids that are too long
 */
export function journeysUrl(
  { carrier, url, stopArea, freshness }: NavitiaServer,
  { origin, destination, maxTransfers }: CarrierQuery,
  { by, atMs, toMs, results }: NavitiaAsk,
): string {
  const seconds = toMs === undefined ? 0 : Math.ceil(Math.abs(toMs - atMs) / 1000);
  const parameters = new URLSearchParams({
    from: stopAreaOf(carrier, origin, stopArea),
    to: stopAreaOf(carrier, destination, stopArea),
    datetime: utcTime(atMs, by),
    datetime_represents: by,
    data_freshness: freshness,
    min_nb_journeys: String(results),
    direct_path: 'none',
    disable_geojson: 'true',
  });
  if (seconds > 0) {
    parameters.set('timeframe_duration', String(Math.min(seconds, LONGEST_SECONDS)));
  }
  if (maxTransfers !== undefined) parameters.set('max_nb_transfers', String(maxTransfers));
  const address = `${url}?${parameters}`;
  if (address.length <= MAX_URL) return address;
  throw new CarrierError(
    'BAD_REQUEST',
    `Cannot ask \`${carrier}\`: its address would have ${address.length} characters, of ids of \`stopArea\``,
  );
}

/** Writes an instant in seconds: departures from the second before it, arrivals until the second after it. */
function utcTime(atMs: number, by: NavitiaAsk['by']): string {
  const ms = 1000 * (by === 'departure' ? Math.floor(atMs / 1000) : Math.ceil(atMs / 1000));
  return `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}
