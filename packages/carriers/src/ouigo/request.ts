import { type CarrierContext, CarrierError, type CarrierQuery } from '@ticketing/core';
import { stationCode } from '../stations/station-table.ts';
import type { WireReader } from '../wire/wire-reader.ts';

/** The bytes of the answer, and when they arrived (epoch ms). */
export interface OuigoWire {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly receivedAt: number;
}

/** What the login takes. */
export interface OuigoCredentials {
  readonly username: string;
  readonly password: string;
}

/** What a request needs beside the query. */
export interface OuigoAccess {
  readonly baseUrl: string;
  readonly credentials: OuigoCredentials;
  readonly tokens: ReturnType<typeof createTokenStore>;
  readonly read: WireReader;
}

/** Logs in unless it holds a token, then searches; a token that is refused is replaced once. */
export async function requestOuigo(
  access: OuigoAccess,
  query: CarrierQuery,
  context: CarrierContext,
): Promise<OuigoWire> {
  const body = JSON.stringify({
    origin: stationCode('ouigo', query.origin),
    destination: stationCode('ouigo', query.destination),
    outbound_date: query.date,
    passengers: query.passengers.map(() => ({
      discount_cards: [],
      disability_type: 'NH',
      type: 'A',
    })),
  });
  const held = access.tokens.current();
  if (held !== undefined) {
    try {
      return await postSearch(access, context, held, body);
    } catch (error) {
      if (!CarrierError.is(error) || error.code !== 'AUTH') throw error;
      access.tokens.forget(held);
    }
  }
  return postSearch(access, context, await login(access, context), body);
}

async function login(access: OuigoAccess, context: CarrierContext): Promise<string> {
  const { read, credentials } = access;
  const { body, receivedAt } = await context.http.send({
    method: 'POST',
    url: `${access.baseUrl}/Token/login`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
    signal: context.signal,
    deadline: context.deadline,
  });
  const answer = read.record(read.json(body), 'login');
  const token = read.text(answer, 'token');
  if (!/^[\x21-\x7e]+$/.test(token)) throw read.error('a token of visible characters', token);
  access.tokens.keep(token, receivedAt + read.number(answer, 'expires_in') * 1000);
  return token;
}

async function postSearch(
  access: OuigoAccess,
  context: CarrierContext,
  token: string,
  search: string,
): Promise<OuigoWire> {
  const { body, receivedAt } = await context.http.send({
    method: 'POST',
    url: `${access.baseUrl}/api/Sale/journeysearch`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: search,
    signal: context.signal,
    deadline: context.deadline,
  });
  return { body, receivedAt };
}

/** A token is not used in the last milliseconds before it expires. */
const MARGIN_MS = 10_000;

/**
 * Creates a store of one token, at first empty. Searches that find it empty at the same time each log in: a
 * shared login would end with the search that began it.
 */
export function createTokenStore(now: () => number): {
  current(): string | undefined;
  /** @param expiresAt epoch ms */
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
