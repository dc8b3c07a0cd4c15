import type { Carrier } from '@ticketing/core';
import { aFunction } from '@ticketing/kit';
import { createDecoder } from '../wire/decoder.ts';
import { type CarrierEndpoint, resolveEndpoint } from '../wire/endpoint.ts';
import { normaliseCalendar, type OuigoCalendarWire, requestCalendar } from './calendar.ts';
import { normaliseOuigo } from './normalise.ts';
import {
  createTokenStore,
  type OuigoAccess,
  type OuigoCredentials,
  type OuigoWire,
  requestOuigo,
} from './request.ts';

/** Options of `createOuigo`. */
export interface OuigoOptions extends CarrierEndpoint {
  readonly credentials: OuigoCredentials;
  /** Epoch ms; decides when a token has expired. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

// Any credentials: what is wrong with them is said without the value, which may be a password.
const rules = { credentials: { expected: 'credentials', test: () => true }, now: aFunction };

/**
 * Creates the Ouigo adapter: a login for a token, then one search in JSON. Prices are floating point
 * euros for the whole party, times have their offset, an error may come with status 200. Its calendar is that of one traveller. Keeps the token until it
 * expires or is refused.
 *
 * @throws TypeError for a `baseUrl` that is not a URL, absent credentials, or an unknown option
 * @example
 * const ouigo = createOuigo({ baseUrl: `${sim.url}/ouigo`, credentials: { username, password } });
 */
export function createOuigo(options: OuigoOptions): Carrier<OuigoWire | OuigoCalendarWire> {
  const { baseUrl, credentials, now } = resolveEndpoint('ouigo', options, rules);
  const { username, password } = Object(credentials) as Partial<OuigoCredentials>;
  if (typeof username !== 'string' || typeof password !== 'string') {
    throw new TypeError(
      'Cannot create ouigo: `credentials` must have `username` and `password`, both texts',
    );
  }
  const decoder = createDecoder('ouigo', { system: 'uic' });
  const access: OuigoAccess = {
    baseUrl,
    credentials: { username, password },
    tokens: createTokenStore(now ?? Date.now),
    read: decoder.read,
  };
  return {
    id: 'ouigo',
    name: 'Ouigo',
    capabilities: { stationSystem: 'uic', asks: ['calendar'] },
    request: (query, context): Promise<OuigoWire | OuigoCalendarWire> =>
      query.calendarUntil === undefined
        ? requestOuigo(access, query, context)
        : requestCalendar(access, query, context),
    normalise: (wire, query) =>
      query.calendarUntil === undefined
        ? normaliseOuigo(decoder, wire as OuigoWire, query)
        : normaliseCalendar(decoder, wire as OuigoCalendarWire),
  };
}
