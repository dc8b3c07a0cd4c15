import { createLocalClock } from '@ticketing/core';
import {
  aFunction,
  aName,
  type Rule,
  type Rules,
  required,
  resolveByRules,
  wholeBetween,
  withMethods,
} from '@ticketing/kit';
import { type StationCodes, stationTable } from '../stations/station-table.ts';

/** Address of a carrier. */
export interface CarrierEndpoint {
  /** Absolute http or https URL; the carrier's paths are appended to its path. */
  readonly baseUrl: string;
}

/** The server of one of many operators that speak the same wire: no operator is built in. */
export interface OperatorServer extends CarrierEndpoint {
  /** Names the carrier in a search, and is the seller of its offers: letters, digits, `.`, `_` and `-`, 40 at most. */
  readonly id: string;
  /** The name that people read, such as `'ÖBB'`. */
  readonly name: string;
  /** Knows stations by the server's codes. Default: the table of this package. */
  readonly stations?: StationCodes | undefined;
  /** Most requests, one after the other, for the journeys of a day: 1 to 20. Default 4. */
  readonly maxPages?: number | undefined;
  /** The `user-agent` header. Default `ticketing-carriers/` and the version. */
  readonly userAgent?: string | undefined;
  /** Returns epoch ms: a search of today begins at this time. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Name of this program in the `user-agent` of carriers whose wire many operators speak. */
export const USER_AGENT = 'ticketing-carriers/0.3.0';

/** The rule of an option that is the value of a header. */
export const aHeaderValue: Rule = {
  expected: 'visible ASCII text',
  test: (value) =>
    typeof value === 'string' && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value),
};

/** The rule of an option that names a system, as an identifier is written. */
export const anIdentifier: Rule = {
  expected: 'a name of letters, digits, `.`, `_` and `-`',
  test: (value) => typeof value === 'string' && /^[\w.-]{1,40}$/.test(value),
};

/** The rule of an option that is an IANA time zone. */
export const aZone: Rule = {
  expected: 'an IANA time zone',
  test(value) {
    try {
      return typeof value === 'string' && createLocalClock().dateOf(1e12, value) !== '';
    } catch {
      return false;
    }
  },
};

/** The rule of an option that is the address of a server. */
export const anAddress: Rule = {
  expected: 'an http or https URL',
  test: (value) => typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value),
};

const endpointRules = { baseUrl: required(anAddress) };

/** Rules of {@link OperatorServer}, without the rules of the endpoint. */
export const operatorRules: Rules = {
  id: required(anIdentifier),
  name: required(aName),
  stations: { ...withMethods('byCode'), fallback: stationTable },
  maxPages: wholeBetween(1, 20, 4),
  userAgent: { ...aHeaderValue, fallback: USER_AGENT },
  now: { ...aFunction, fallback: () => Date.now() },
};

/**
 * Returns checked options, the endpoint without trailing slashes. `more` are the rules of a carrier's other options.
 *
 * @throws TypeError for a `baseUrl` that is not a URL, or an unknown option
 */
export function resolveEndpoint<T extends CarrierEndpoint>(
  carrier: string,
  options: T,
  more: Rules = {},
): T {
  const all = { ...endpointRules, ...more };
  const { baseUrl, ...rest } = resolveByRules<T>(`create ${carrier}`, options, all);
  return { ...(rest as T), baseUrl: withoutEnd(baseUrl, '/') };
}

/** Returns the headers of a request, such as one with a token. */
export type RequestHeaders = () =>
  | Readonly<Record<string, string>>
  | Promise<Readonly<Record<string, string>>>;

/** Returns a text without all of one character at its end. */
export function withoutEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
