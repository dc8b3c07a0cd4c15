import { createHash } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { canonicalKey, type KeyValue } from '../../canonical-key.ts';
import { requestHeader, type SentHeaders } from './header-fields.ts';
import type { HttpRequest } from './when-left.ts';

/** Most names of headers that are learned from the answers of one route. */
const MAX_LEARNED = 16;

/** A route that is coalesced. */
export interface CoalescedRoute {
  /** Distinguishes the routes of one coalescer: two may have the same URL, by host or version. */
  readonly id: number;
  readonly shareCredentials: boolean;
  /** Request headers that are part of its keys. Headers that `Vary` of its answers names are added, at most 16. */
  readonly keyHeaders: Set<string>;
  /** Most members of `keyHeaders`. */
  readonly mostHeaders: number;
}

/** Request whose key is made. */
export interface KeyedRequest {
  readonly headers: SentHeaders;
  /** Connection, which has the client's certificate. */
  readonly socket: unknown;
  /** Canonical text of the URL and what belongs to it, or of the key that the route makes. */
  readonly target: string;
}

// The last two name a client's certificate, by a proxy that ends TLS (RFC 9440, and Envoy).
const credentials = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'client-cert',
  'x-forwarded-client-cert',
];

// With these a client alone may get 304, 206, 412 or 416.
const conditions = [
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'range',
];

/** Makes a route. `id` distinguishes the routes of a coalescer. */
export function coalescedRoute(
  { vary, shareCredentials }: { vary: readonly string[]; shareCredentials: boolean },
  id: number,
): CoalescedRoute {
  const keyHeaders = new Set([...conditions, ...vary, ...(shareCredentials ? [] : credentials)]);
  return { id, shareCredentials, keyHeaders, mostHeaders: keyHeaders.size + MAX_LEARNED };
}

/** Adds the headers that an answer depends on to the keys of the route's further requests. */
export function learnVary(route: CoalescedRoute, names: Iterable<string>): void {
  const { keyHeaders, mostHeaders } = route;
  for (const name of names) if (keyHeaders.size < mostHeaders) keyHeaders.add(name);
}

/**
 * Makes the key of a request. Headers are part of it as a SHA-256: keys reach diagnostics and errors, credentials
 * must not.
 */
export function requestKey(request: KeyedRequest, route: CoalescedRoute): string {
  const { id, keyHeaders, shareCredentials } = route;
  const { headers, socket, target } = request;
  const sent: string[] = [];
  if (!shareCredentials) {
    const certificate = certificateOf(socket);
    if (certificate !== undefined) sent.push(':certificate', certificate);
  }
  for (const name of keyHeaders) {
    const value = requestHeader(headers, name);
    if (value !== undefined) sent.push(name, value);
  }
  if (sent.length === 0) return canonicalKey(id, target);
  const digest = createHash('sha256')
    .update(canonicalKey(...sent), 'utf16le')
    .digest('base64url');
  return canonicalKey(id, target, digest);
}

/**
 * Returns the fingerprint of the certificate by which the client authenticates itself. It is read for each request: a server
 * may ask for one while the connection is in use.
 */
function certificateOf(socket: unknown): string | undefined {
  return (socket as Partial<TLSSocket> | undefined)?.getPeerX509Certificate?.()?.fingerprint256;
}

/**
 * Returns the target of a request whose route has the option `key`.
 *
 * @throws TypeError for an object, which is equal to none, and for a symbol that is not registered
 */
export function targetOfKey(
  value: unknown,
  { method, url }: Pick<HttpRequest, 'method' | 'url'>,
): string {
  return canonicalKey(method, 'key', checkedKey(value, `coalesce ${method} ${url}`));
}

/**
 * Checks the value that a route's `key` returned.
 *
 * @throws TypeError for an object, which is equal to none
 */
export function checkedKey(value: unknown, action: string): KeyValue {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') {
    return value as KeyValue;
  }
  throw new TypeError(
    `Cannot ${action}: option \`key\` must return a primitive, got ${typeof value}`,
  );
}
