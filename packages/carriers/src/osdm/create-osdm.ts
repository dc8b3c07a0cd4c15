import type { Carrier } from '@ticketing/core';
import { aFlag, aFunction, type Filled, oneOf, type Rule, wholeBetween } from '@ticketing/kit';
import { createDecoder } from '../wire/decoder.ts';
import {
  aHeaderValue,
  anIdentifier,
  type OperatorServer,
  operatorRules,
  resolveEndpoint,
} from '../wire/endpoint.ts';
import {
  normaliseOverview,
  type OsdmOverviewWire,
  requestOverview,
} from './further-questions/overview.ts';
import {
  normaliseReturns,
  type OsdmReturnsWire,
  requestReturns,
} from './further-questions/returns.ts';
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
  /** True if the provider may be asked for its overview of prices by day, an optional resource of the standard. Default true. */
  readonly overview?: boolean | undefined;
  /** Language of names, as `Accept-Language` has it. Default `en`. */
  readonly language?: string | undefined;
}

type Resolved = Filled<OsdmOptions>;

/** Bytes of journeys, of an overview, or of both ways. */
type AnyWire = OsdmWire | OsdmOverviewWire | OsdmReturnsWire;

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
  overview: { ...aFlag, fallback: true },
  language: { ...aHeaderValue, fallback: 'en' },
} satisfies Record<string, Rule>;

/**
 * Creates an adapter for a provider of OSDM 3, the standard for selling rail: JSON, prices for parts of a journey, errors as
 * RFC 9457 has them. Ages and cards count, pages go both ways; it is asked for prices by day, and for offers for both ways of a round trip.
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
export function createOsdm(options: OsdmOptions): Carrier<AnyWire> {
  const { id, name, stations, stationCodes, overview, ...resolved } = resolveEndpoint<Resolved>(
    'osdm',
    options as Resolved,
    rules,
  );
  const [system = 'uic'] = stationCodes;
  const decoder = createDecoder(id, { system, stations });
  const codes = { namespace: resolved.namespace, systems: stationCodes };
  const osdm = { decoder, codes };
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
      asks: overview ? ['calendar', 'returns'] : ['returns'],
    },
    request(query, context): Promise<AnyWire> {
      if (query.calendarUntil !== undefined) return requestOverview(access, query, context);
      if (query.returns !== undefined) return requestReturns(access, query, context);
      return requestOsdm(access, query, context);
    },
    normalise(wire, query) {
      if (query.calendarUntil !== undefined) {
        return normaliseOverview(osdm, wire as OsdmOverviewWire, query);
      }
      if (query.returns !== undefined) {
        return normaliseReturns(osdm, wire as OsdmReturnsWire, query);
      }
      return normaliseOsdm(osdm, wire as OsdmWire, query);
    },
  };
}
