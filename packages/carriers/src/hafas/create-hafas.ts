import type { Carrier } from '@ticketing/core';
import { aFunction, aName, required, wholeBetween, withMethods } from '@ticketing/kit';
import { type StationCodes, stationTable } from '../stations/station-table.ts';
import { createDecoder } from '../wire/decoder.ts';
import {
  aHeaderValue,
  type CarrierEndpoint,
  resolveEndpoint,
  USER_AGENT,
} from '../wire/endpoint.ts';
import { type HafasProfile, resolveProfile } from './hafas-profile.ts';
import { normaliseHafas } from './normalise.ts';
import { type HafasWire, requestHafas } from './request.ts';

/** Options of `createHafas`. */
export interface HafasOptions extends CarrierEndpoint {
  /** The carrier's id and the seller of its offers, `'oebb'`. */
  readonly id: string;
  /** For people, `'ÖBB'`. */
  readonly name: string;
  readonly profile: HafasProfile;
  /** Knows stations by the numbers of `profile.stationSystem`. Default: the committed table. */
  readonly stations?: StationCodes | undefined;
  /** Journeys that one request asks for, 1 to 100. Default 6. */
  readonly pageSize?: number | undefined;
  /** Requests for a day, one after another, 1 to 20. Default 4. */
  readonly maxPages?: number | undefined;
  /** Default `ticketing-carriers/` and the version. */
  readonly userAgent?: string | undefined;
  /** Epoch ms; a search of today begins now. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

type Filled = Required<{ [Name in keyof HafasOptions]: Exclude<HafasOptions[Name], undefined> }>;

const rules = {
  id: required(aName),
  name: required(aName),
  profile: required({ expected: 'an object', test: (value) => typeof value === 'object' }),
  stations: { ...withMethods('byCode'), fallback: stationTable },
  pageSize: wholeBetween(1, 100, 6),
  maxPages: wholeBetween(1, 20, 4),
  userAgent: { ...aHeaderValue, fallback: USER_AGENT },
  now: { ...aFunction, fallback: () => Date.now() },
};

/**
 * Creates the adapter of one operator's HAFAS server (`mgate.exe`): JSON, checked by a salted sum, times with a count of days,
 * a few journeys a page. No profile is shipped.
 *
 * @throws TypeError or RangeError for options that are unknown, absent or out of range
 * @example
 * const oebb = createHafas({ id: 'oebb', name: 'ÖBB', baseUrl, profile });
 */
export function createHafas(options: HafasOptions): Carrier<HafasWire> {
  const resolved = resolveEndpoint('hafas', options, rules) as Filled;
  const { id, name, baseUrl, stations, pageSize, maxPages, userAgent, now } = resolved;
  const profile = resolveProfile(resolved.profile);
  const decoder = createDecoder(id, { system: profile.stationSystem, stations });
  const server = { baseUrl, profile, decoder, pageSize, maxPages, userAgent, now };
  return {
    id,
    name,
    capabilities: {
      window: 'page',
      prices: profile.prices === 'fares' ? 'some' : 'none',
      passengers: 'count',
      stationSystem: profile.stationSystem,
      native: ['time', 'arriveBy', 'via', 'maxTransfers'],
    },
    request: (query, context) => requestHafas(server, query, context),
    normalise: (wire, query) => normaliseHafas(server, wire, query),
  };
}
