import {
  type CarrierContext,
  CarrierError,
  type CarrierHttpRequest,
  type CarrierHttpResponse,
  type CarrierQuery,
  type Station,
} from '@ticketing/core';
import { stationCode } from '../stations/station-table.ts';
import { refuseRedirect } from '../wire/page-for-people.ts';
import { instantMs } from '../wire/wire-instant.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';

/** The bytes of the answer, and when they arrived (epoch ms). */
export interface OuigoWire {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly receivedAt: number;
}

/** Credentials of the login. */
export interface OuigoCredentials {
  readonly username: string;
  readonly password: string;
}

/** Access to Ouigo. */
export interface OuigoAccess {
  readonly baseUrl: string;
  readonly credentials: OuigoCredentials;
  readonly tokens: ReturnType<typeof createTokenStore>;
  readonly read: WireReader;
}

/** Searches for the trains of a day. */
export function requestOuigo(
  access: OuigoAccess,
  query: CarrierQuery,
  context: CarrierContext,
): Promise<OuigoWire> {
  const body = JSON.stringify({
    ...endsBody(query),
    outbound_date: query.date,
    passengers: passengersBody(query),
  });
  return postAsUser(access, context, { path: '/Sale/journeysearch', body });
}

/** Returns the stations of a query as a body has them. */
export function endsBody({ origin, destination }: CarrierQuery): object {
  return { origin: ouigoCode(origin), destination: ouigoCode(destination) };
}

export function passengersBody({ passengers }: CarrierQuery): readonly object[] {
  return passengers.map(() => ({ discount_cards: [], disability_type: 'NH', type: 'A' }));
}

/** Logs in without a token, then posts; a token that is refused is replaced once. */
export async function postAsUser(
  access: OuigoAccess,
  context: CarrierContext,
  request: Posted,
): Promise<OuigoWire> {
  const held = access.tokens.current();
  if (held !== undefined) {
    try {
      return await post(access, context, held, request);
    } catch (error) {
      // A page in place of an answer is AUTH too, and no new token leads past it.
      const isRefused = CarrierError.is(error) && error.code === 'AUTH' && error.httpStatus;
      if (!isRefused) throw error;
      access.tokens.forget(held);
    }
  }
  return post(access, context, await login(access, context), request);
}

/** Path below the base URL, and a body in JSON. */
interface Posted {
  readonly path: string;
  readonly body: string;
}

/** Ouigo asks by UIC numbers of Spain alone: a table may have a code of its own for them. */
function ouigoCode(station: Station): string {
  const { uic } = station.codes;
  return uic?.startsWith('71') ? uic : stationCode('ouigo', station);
}

async function login(access: OuigoAccess, context: CarrierContext): Promise<string> {
  const { read, credentials } = access;
  const { body, receivedAt } = await send(context, {
    url: `${access.baseUrl}/Token/login`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  const answer = read.record(read.json(body), 'login');
  const token = read.text(answer, 'token');
  if (!/^[\x21-\x7e]+$/.test(token)) throw read.error('a token of visible characters', token);
  access.tokens.keep(token, expiryOf(read, answer, receivedAt));
  return token;
}

/** Returns epoch ms. A token without an expiry is used until it is refused. */
function expiryOf(read: WireReader, answer: WireRecord, receivedAt: number): number {
  const seconds = read.optionalNumber(answer, 'expires_in');
  if (seconds !== undefined) return receivedAt + seconds * 1000;
  const date = read.optionalText(answer, 'expirationDate') ?? '';
  return instantMs(date) ?? Number.POSITIVE_INFINITY;
}

async function post(
  access: OuigoAccess,
  context: CarrierContext,
  token: string,
  { path, body: sent }: Posted,
): Promise<OuigoWire> {
  const { body, receivedAt } = await send(context, {
    url: `${access.baseUrl}${path}`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: sent,
  });
  return { body, receivedAt };
}

async function send(
  { http, signal, deadline }: CarrierContext,
  request: Pick<CarrierHttpRequest, 'url' | 'headers' | 'body'>,
): Promise<CarrierHttpResponse> {
  const response = await http.send({ method: 'POST', ...request, signal, deadline });
  refuseRedirect('ouigo', response);
  return response;
}

/** A token is not used in the last milliseconds before it expires. */
const MARGIN_MS = 10_000;

/**
 * Creates a store of one token, at first empty. Searches that find it empty at the same time each log in: a
 * shared login would end with the search that began it.
 */
export function createTokenStore(now: () => number): {
  current(): string | undefined;
  /** @param expiresAt epoch ms, `Infinity` if it is not known */
  keep(token: string, expiresAt: number): void;
  /** Drops this token; a newer one stays. */
  forget(token: string): void;
} {
  let held: { readonly token: string; readonly expiresAt: number } | undefined;
  return {
    current: () => (held && now() < held.expiresAt - MARGIN_MS ? held.token : undefined),
    keep(token, expiresAt) {
      held = { token, expiresAt };
    },
    forget(token) {
      if (held?.token === token) held = undefined;
    },
  };
}
