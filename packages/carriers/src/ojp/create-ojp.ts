import type { Carrier } from '@ticketing/core';
import { aFunction, aName, type Filled, required, wholeBetween } from '@ticketing/kit';
import { createDecoder } from '../wire/decoder.ts';
import {
  aZone,
  type OperatorServer,
  operatorRules,
  type RequestHeaders,
  resolveEndpoint,
} from '../wire/endpoint.ts';
import { normaliseOjp } from './normalise.ts';
import { type OjpWire, requestOjp } from './request.ts';

/** Options of `createOjp`. */
export interface OjpOptions extends OperatorServer {
  /** Name under which the operator registered you (`RequestorRef`). */
  readonly requestor: string;
  /** IANA zone of stations that the table lacks. */
  readonly zone: string;
  /** Returns headers of each request, such as `authorization`. What it throws is `AUTH`. */
  readonly headers?: RequestHeaders | undefined;
  /** System whose codes the server's `StopPlaceRef` are. Default `uic`. */
  readonly stationSystem?: string | undefined;
  /** Journeys of one request, 1 to 100. Default 12. */
  readonly results?: number | undefined;
}

type ResolvedOjpOptions = Filled<Omit<OjpOptions, 'headers'>> & Pick<OjpOptions, 'headers'>;

const rules = {
  ...operatorRules,
  requestor: required(aName),
  zone: required(aZone),
  headers: aFunction,
  stationSystem: { ...aName, fallback: 'uic' },
  results: wholeBetween(1, 100, 12),
};

/**
 * Creates an adapter for a server of OJP 2.0, the European standard for journey planners: one request in XML, times without prices,
 * real time, pages by time. It reads answers of 1.0 as well. Nothing of an operator is built in.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type, RangeError for one out of range
 * @example
 * const ojp = createOjp({
 *   id: 'ojp', name: 'Swiss timetable', baseUrl: `${sim.url}/ojp`, zone: 'Europe/Zurich', requestor: 'my-team',
 *   headers: async () => ({ authorization: `Bearer ${token}` }),
 * });
 */
export function createOjp(options: OjpOptions): Carrier<OjpWire> {
  const resolved = resolveEndpoint('ojp', options, rules) as ResolvedOjpOptions;
  const { id, name, baseUrl, zone, stationSystem: system, stations, ...rest } = resolved;
  const decoder = createDecoder(id, { system, stations });
  const access = { ...rest, url: baseUrl, decoder, headers: rest.headers };
  return {
    id,
    name,
    capabilities: {
      window: 'page',
      prices: 'none',
      stationSystem: system,
      native: ['time', 'arriveBy', 'via', 'maxTransfers'],
    },
    request: (query, context) => requestOjp(access, query, context),
    normalise: (wire, query) => normaliseOjp(decoder, { zone, stops: query.stops === true }, wire),
  };
}
