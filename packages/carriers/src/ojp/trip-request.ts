import type { CarrierQuery, Station } from '@ticketing/core';
import { stationCode } from '../stations/station-table.ts';
import { askedMs, type TimePage } from '../wire/paging/time-pages.ts';

/** Parts of a request beside the query. */
export interface TripRequest {
  readonly carrier: string;
  /** Name under which the operator knows the caller. */
  readonly requestor: string;
  /** System of station codes that the server has. */
  readonly system: string;
  readonly page: TimePage;
  /** Number of trips. */
  readonly results: number;
  /** Epoch ms. */
  readonly nowMs: number;
}

/**
 * Writes an OJPTripRequest of OJP 2.0, its elements in the order of the schema.
 *
 * @throws CarrierError `NOT_SERVED` for a station without a code of the system
 */
export function writeTripRequest(
  { origin, destination, via, maxTransfers, stops }: CarrierQuery,
  { carrier, requestor, system, page, results, nowMs }: TripRequest,
): string {
  const place = ({ name }: Station, code: string): string =>
    `<StopPlaceRef>${escaped(code)}</StopPlaceRef><Name><Text>${escaped(name)}</Text></Name>`;
  const placeOf = (station: Station): string =>
    place(station, stationCode(carrier, station, system));
  const at = `<DepArrTime>${instant(askedMs(page))}</DepArrTime>`;
  const [leaves, arrives] = page.by === 'departure' ? [at, ''] : ['', at];
  const side = page.direction === 'later' ? 'NumberOfResultsAfter' : 'NumberOfResultsBefore';
  const stamp = `<siri:RequestTimestamp>${instant(nowMs)}</siri:RequestTimestamp>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<OJP xmlns="http://www.vdv.de/ojp" xmlns:siri="http://www.siri.org.uk/siri" version="2.0">',
    `<OJPRequest><siri:ServiceRequest>${stamp}`,
    `<siri:RequestorRef>${escaped(requestor)}</siri:RequestorRef><OJPTripRequest>${stamp}`,
    `<Origin><PlaceRef>${placeOf(origin)}</PlaceRef>${leaves}</Origin>`,
    `<Destination><PlaceRef>${placeOf(destination)}</PlaceRef>${arrives}</Destination>`,
    via === undefined ? '' : `<Via><ViaPoint>${placeOf(via)}</ViaPoint></Via>`,
    `<Params><${side}>${results}</${side}><UseRealtimeData>explanatory</UseRealtimeData>`,
    maxTransfers === undefined ? '' : `<TransferLimit>${maxTransfers}</TransferLimit>`,
    '<IncludeTrackSections>true</IncludeTrackSections>',
    '<IncludeLegProjection>false</IncludeLegProjection>',
    `<IncludeIntermediateStops>${stops === true}</IncludeIntermediateStops></Params>`,
    '</OJPTripRequest></siri:ServiceRequest></OJPRequest></OJP>',
  ].join('');
}

function instant(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Characters that XML 1.0 does not have become spaces. */
function escaped(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, ' ')
    .replace(/[&<>"']/g, (character: string) => escapes[character] ?? '');
}
