import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { canonicalKey } from '../canonical-key.ts';
import { type CoalescedRoute, requestHeader } from './coalesced-route.ts';

const credentials = ['authorization', 'proxy-authorization', 'cookie'];

// They make an answer 304, 206, 412 or 416 for one client only.
const conditions = [
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'range',
];

/**
 * Makes the key of a request. Headers enter it as a SHA-256: keys reach diagnostics and errors, and what
 * a client logs in with must not.
 *
 * @throws TypeError if the route's own key is an object or a symbol that is not registered; what it throws
 */
export function requestKey(request: FastifyRequest, route: CoalescedRoute): string {
  const { id, key, vary, learned, shareCredentials } = route;
  const headers = new Set([...conditions, ...vary, ...learned]);
  if (!shareCredentials) for (const name of credentials) headers.add(name);
  const sent: string[] = [];
  for (const name of headers) {
    const value = requestHeader(request, name);
    if (value !== undefined) sent.push(name, value);
  }
  const target = key === undefined ? targetOf(request) : canonicalKey('key', ownKey(request, key));
  if (sent.length === 0) return canonicalKey(id, target);
  const digest = createHash('sha256')
    .update(canonicalKey(...sent), 'utf16le')
    .digest('base64url');
  return canonicalKey(id, target, digest);
}

function targetOf(request: FastifyRequest): string {
  const host = requestHeader(request, ':authority') ?? requestHeader(request, 'host');
  // They differ if the server rewrites URLs, and a handler may read either.
  return canonicalKey(request.method, host, request.url, request.originalUrl);
}

function ownKey(request: FastifyRequest, key: NonNullable<CoalescedRoute['key']>): unknown {
  const value: unknown = key(request);
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return value;
  const url = request.routeOptions.url ?? request.url;
  throw new TypeError(
    `Cannot coalesce ${request.method} ${url}: a primitive of option key expected, got ${typeof value}`,
  );
}
