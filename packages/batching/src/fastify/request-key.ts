import { createHash } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import { canonicalKey } from '../canonical-key.ts';
import type { ResolvedRouteCoalesceOptions } from './coalesce-routes-options.ts';

/** Most names of headers that are learned from the answers of one route. */
const MAX_LEARNED = 16;

/** A route that is coalesced. */
export interface CoalescedRoute extends ResolvedRouteCoalesceOptions {
  /** Distinguishes the plugin's routes: two may have the same URL, by host or version. */
  readonly id: number;
  /** Request headers that are part of its keys. Headers that `Vary` of its answers names are added, at most 16. */
  readonly keyHeaders: Set<string>;
  /** Most members of `keyHeaders`. */
  readonly mostHeaders: number;
}

/** The header as the handler sees it. */
export function requestHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
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

/** Makes a route. `id` distinguishes the routes of a plugin. */
export function coalescedRoute(options: ResolvedRouteCoalesceOptions, id: number): CoalescedRoute {
  const { vary, shareCredentials } = options;
  const keyHeaders = new Set([...conditions, ...vary, ...(shareCredentials ? [] : credentials)]);
  return { ...options, id, keyHeaders, mostHeaders: keyHeaders.size + MAX_LEARNED };
}

/** Adds the headers that an answer depends on to the keys of the route's further requests. */
export function learnVary(route: CoalescedRoute, names: Iterable<string>): void {
  const { keyHeaders, mostHeaders } = route;
  for (const name of names) if (keyHeaders.size < mostHeaders) keyHeaders.add(name);
}

/**
 * Makes the key of a request. Headers are part of it as a SHA-256: keys reach diagnostics and errors, credentials
 * must not.
 *
 * @throws TypeError if the route's own key is an object or a symbol that is not registered; what it throws
 */
export function requestKey(request: FastifyRequest, route: CoalescedRoute): string {
  const { id, key, keyHeaders, shareCredentials } = route;
  const sent: string[] = [];
  if (!shareCredentials) {
    const certificate = certificateOf(request);
    if (certificate !== undefined) sent.push(':certificate', certificate);
  }
  const { headers } = request;
  for (const name of keyHeaders) {
    const value = headers[name];
    if (value !== undefined) sent.push(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const target = key === undefined ? targetOf(request) : canonicalKey('key', ownKey(request, key));
  if (sent.length === 0) return canonicalKey(id, target);
  const digest = createHash('sha256')
    .update(canonicalKey(...sent), 'utf16le')
    .digest('base64url');
  return canonicalKey(id, target, digest);
}

/**
 * The fingerprint of the certificate by which the client authenticates itself. It is read for each request: a server may ask
 * for one while the connection is in use.
 */
function certificateOf({ raw }: FastifyRequest): string | undefined {
  const socket = raw.socket as Partial<TLSSocket> | undefined;
  return socket?.getPeerX509Certificate?.()?.fingerprint256;
}

function targetOf(request: FastifyRequest): string {
  // Of each there may be two: what the client or its proxy sent, and what Fastify makes of it by `trustProxy` or a rewriting of
  // URLs. A handler may read either.
  const { method, protocol, host, url, originalUrl } = request;
  const sent = requestHeader(request, ':authority') ?? requestHeader(request, 'host');
  return canonicalKey(method, protocol, host, sent, url, originalUrl);
}

function ownKey(request: FastifyRequest, key: NonNullable<CoalescedRoute['key']>): unknown {
  const value: unknown = key(request);
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return value;
  const url = request.routeOptions.url ?? request.url;
  throw new TypeError(
    `Cannot coalesce ${request.method} ${url}: option \`key\` must return a primitive, got ${typeof value}`,
  );
}
