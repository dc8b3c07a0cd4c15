import type { Carrier } from '@ticketing/core';
import { type Filled, required, wholeBetween } from '@ticketing/kit';
import { createDecoder } from '../wire/decoder.ts';
import { type OperatorServer, operatorRules, resolveEndpoint } from '../wire/endpoint.ts';
import { type HafasProfile, resolveProfile } from './hafas-profile.ts';
import { normaliseHafas } from './normalise.ts';
import { type HafasWire, requestHafas } from './request.ts';

/** Options of `createHafas`. */
export interface HafasOptions extends OperatorServer {
  readonly profile: HafasProfile;
  /** Journeys that one request asks for, 1 to 100. Default 6. */
  readonly pageSize?: number | undefined;
}

const rules = {
  ...operatorRules,
  profile: required({ expected: 'an object', test: (value) => typeof value === 'object' }),
  pageSize: wholeBetween(1, 100, 6),
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
  const resolved = resolveEndpoint('hafas', options, rules) as Filled<HafasOptions>;
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
