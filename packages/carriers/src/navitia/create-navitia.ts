import type { Carrier } from '@ticketing/core';
import { aFunction, type Filled, type Rule, required, wholeBetween } from '@ticketing/kit';
import { createDecoder } from '../wire/decoder.ts';
import {
  aZone,
  type OperatorServer,
  operatorRules,
  type RequestHeaders,
  resolveEndpoint,
} from '../wire/endpoint.ts';
import { normaliseNavitia } from './normalise.ts';
import { type NavitiaWire, requestNavitia } from './request.ts';
import type { StopAreas } from './stops.ts';

/** Options of `createNavitia`. */
export interface NavitiaOptions extends OperatorServer {
  /** Name of the region of the server, such as `'fr-idf'`. */
  readonly coverage: string;
  /** IANA zone of the region: of answers that do not name theirs, and of stops without one. */
  readonly zone: string;
  /**
   * Ids of the server's stations. A text such as `'stop_area:X:'` stands before the UIC number with its check digit; a function returns
   * the whole id, `undefined` for a station that the server does not know.
   */
  readonly stopArea: StopAreas;
  /** Returns headers of each request, such as `authorization`. What it throws is `AUTH`. */
  readonly headers?: RequestHeaders | undefined;
  /** Least journeys that one request asks for, 1 to 50. Default 10. */
  readonly results?: number | undefined;
  /** Timetable by which the server plans: `realtime` has delays and leaves cancelled trains out. Default `base_schedule`. */
  readonly freshness?: 'base_schedule' | 'realtime' | undefined;
  /** Currency of prices in `centime`. Default `EUR`. */
  readonly currency?: string | undefined;
}

type ResolvedNavitiaOptions = Filled<Omit<NavitiaOptions, 'headers'>> &
  Pick<NavitiaOptions, 'headers'>;

/** Coverages are a part of the path. */
const aCoverage: Rule = {
  expected: 'the name of a region, of letters, digits, `.`, `_` and `-`',
  test: (value) => typeof value === 'string' && /^\w[\w.-]{0,99}$/.test(value),
};

const aStopArea: Rule = {
  expected: 'a text before the UIC number, or a function',
  test: (value) =>
    typeof value === 'function' || (typeof value === 'string' && /^[\w:.-]{1,100}$/.test(value)),
};

const rules = {
  ...operatorRules,
  coverage: required(aCoverage),
  zone: required(aZone),
  stopArea: required(aStopArea),
  headers: aFunction,
  results: wholeBetween(1, 50, 10),
  freshness: {
    expected: '`base_schedule` or `realtime`',
    test: (value: unknown) => value === 'base_schedule' || value === 'realtime',
    fallback: 'base_schedule',
  },
  currency: {
    expected: 'a currency code of three capital letters',
    test: (value: unknown) => typeof value === 'string' && /^[A-Z]{3}$/.test(value),
    fallback: 'EUR',
  },
};

/**
 * Creates an adapter for a server of Navitia, the journey planner of SNCF and of many French regions: one GET in JSON, times on the
 * clocks of the region, prices where the region has fares, pages by time. Nothing of an operator is built in.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type, RangeError for one out of range
 * @example
 * const navitia = createNavitia({
 *   id: 'navitia', name: 'French timetable', baseUrl: `${sim.url}/navitia/v1`, coverage: 'simulated', zone: 'Europe/Paris',
 *   stopArea: 'stop_area:SIM:', headers: () => ({ authorization: key }),
 * });
 */
export function createNavitia(options: NavitiaOptions): Carrier<NavitiaWire> {
  const resolved = resolveEndpoint('navitia', options, rules) as ResolvedNavitiaOptions;
  const { id, name, baseUrl, coverage, zone, currency, stations, stopArea, ...rest } = resolved;
  const decoder = createDecoder(id, { system: 'uic', stations });
  const url = `${baseUrl}/coverage/${encodeURIComponent(coverage)}/journeys`;
  const access = { ...rest, url, decoder, stopArea, zone, headers: rest.headers };
  return {
    id,
    name,
    capabilities: {
      window: 'page',
      prices: 'some',
      stationSystem: 'uic',
      native: ['time', 'arriveBy', 'maxTransfers'],
    },
    request: (query, context) => requestNavitia(access, query, context),
    normalise: (wire, query) =>
      normaliseNavitia(decoder, { zone, currency, stopArea, query }, wire),
  };
}
