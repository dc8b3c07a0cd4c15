import type { Carrier } from '@ticketing/core';
import { aFunction, type Filled, oneOf, type Rule, wholeBetween } from '@ticketing/kit';
import { createDecoder } from '../wire/decoder.ts';
import {
  aHeaderValue,
  anIdentifier,
  type OperatorServer,
  operatorRules,
  resolveEndpoint,
} from '../wire/endpoint.ts';
import { normaliseOsdm } from './normalise.ts';
import { type OsdmAccess, type OsdmWire, requestOsdm } from './request.ts';

/** Options of `createOsdm`. */
export interface OsdmOptions extends OperatorServer {
  /** Returns the headers that authorise a request, for each request anew. Default: none. */
  readonly headers?: OsdmAccess['headers'] | undefined;
  /** The `Requestor` header that the provider's contract names. Default: none. */
  readonly requestor?: string | undefined;
  /** The namespace of station references, `urn:<namespace>:stn:<code>`. Default `uic`. */
  readonly namespace?: string | undefined;
  /** Systems whose codes are in that namespace: of several, the first that a station has. Default `['uic']`. */
  readonly stationCodes?: readonly string[] | undefined;
  /** `two-calls` asks for trips, then for offers for them. Pages always take both. Default `one-call`. */
  readonly mode?: 'one-call' | 'two-calls' | undefined;
  /** Journeys of one request, 1 to 100. Default 20. */
  readonly results?: number | undefined;
  /** Language of names, as `Accept-Language` has it. Default `en`. */
  readonly language?: string | undefined;
}

type Resolved = Filled<OsdmOptions>;

const rules = {
  ...operatorRules,
  headers: { ...aFunction, fallback: () => ({}) },
  requestor: aHeaderValue,
  namespace: { ...anIdentifier, expected: 'a namespace such as uic or x_swe', fallback: 'uic' },
  stationCodes: {
    expected: 'a list of at least one system of codes',
    fallback: ['uic'],
    test: (value: unknown) =>
      Array.isArray(value) && value.length > 0 && value.every((one) => anIdentifier.test(one)),
  },
  mode: oneOf('one-call', 'two-calls'),
  results: wholeBetween(1, 100, 20),
  language: { ...aHeaderValue, fallback: 'en' },
} satisfies Record<string, Rule>;

/**
 * Creates an adapter for a provider of OSDM 3, the standard for selling rail: JSON, prices for parts of a journey, errors as
 * RFC 9457 has them. Ages and cards count, pages go both ways.
 *
 * @throws TypeError or RangeError for an absent id, name or `baseUrl`, an unknown option, or a value out of range
 * @example
 * const rail = createOsdm({
 *   id: 'rail',
 *   name: 'Rail',
 *   baseUrl: 'https://osdm.example/v3',
 *   headers: async () => ({ authorization: `Bearer ${await token()}` }),
 * });
 */
export function createOsdm(options: OsdmOptions): Carrier<OsdmWire> {
  const { id, name, stations, stationCodes, ...resolved } = resolveEndpoint<Resolved>(
    'osdm',
    options as Resolved,
    rules,
  );
  const [system = 'uic'] = stationCodes;
  const decoder = createDecoder(id, { system, stations });
  const codes = { namespace: resolved.namespace, systems: stationCodes };
  const access: OsdmAccess = { ...resolved, carrier: id, codes, decoder };
  return {
    id,
    name,
    capabilities: {
      window: 'page',
      prices: 'some',
      passengers: 'cards',
      stationSystem: system,
      native: ['time', 'arriveBy', 'via', 'maxTransfers', 'travelClass', 'currency'],
    },
    request: (query, context) => requestOsdm(access, query, context),
    normalise: (wire, query) => normaliseOsdm({ decoder, codes }, wire, query),
  };
}
