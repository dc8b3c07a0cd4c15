import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Flags } from '../flags/flag-specs.ts';
import { isLoopback } from '../flags/flag-values.ts';
import { ProblemError } from '../problem/problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if this route only serves a page, or parts of one: it is answered under any name. Default `false`. */
    page?: boolean;
  }
}

type Names = Pick<Flags, 'host'> & Partial<Pick<Flags, 'allowedHosts'>>;

/**
 * Refuses a request for a name that is not one of this server: a page elsewhere whose name was bound to this address would read
 * the answer. A server that others can reach as well has no secrets from them.
 *
 * @throws ProblemError with the name that was asked for
 */
export function guardNames(
  { headers, is404, routeOptions }: Pick<FastifyRequest, 'headers' | 'is404' | 'routeOptions'>,
  names: Names,
): void {
  if (!isLoopback(names.host) || is404 || routeOptions.config.page === true) return;
  // HTTP/1.0 needs none, and no browser speaks it.
  if (headers.host !== undefined) refuseNames(headers.host, names);
}

/** A name can be bound to this address by anybody, an address cannot. */
function refuseNames(host: string, { host: boundHost, allowedHosts }: Names): void {
  const hostname = hostnameOf(host);
  if (isIP(hostname) !== 0 || isLoopback(hostname) || hostname === boundHost.toLowerCase()) return;
  if (allowedHosts?.includes(hostname)) return;
  throw refusal(
    `Host must be an address, localhost, --host (${boundHost}) or one of --allowed-hosts, got ${show(host)}`,
  );
}

/**
 * Refuses a request that changes something unless a page of this server sent it: a page elsewhere, or one behind a name that
 * was bound to this address, must not end workers on somebody's machine.
 *
 * @throws ProblemError with the reason
 */
export function guardControls(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { operator, ...names }: Pick<Flags, 'operator'> & Names,
): void {
  if (operator !== 'on') {
    throw refusal(`Controls need --operator on, got ${operator}`);
  }
  const { host = '', origin } = headers;
  const type = headers['content-type'];
  if (!/^application\/json(?:\s*;|$)/i.test(type ?? '')) {
    throw new ProblemError(415, {
      detail: `Content-Type must be application/json, got ${show(type)}`,
    });
  }
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') {
    throw refusal(`Sec-Fetch-Site must be same-origin, got ${show(site)}`);
  }
  refuseNames(host, names);
  if (hostOf(origin) !== host.toLowerCase()) {
    throw refusal(`Origin must be that of this server (${host}), got ${show(origin)}`);
  }
}

function refusal(detail: string): ProblemError {
  return new ProblemError(403, { detail });
}

/** Returns the name or address without port and brackets. */
function hostnameOf(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}

function hostOf(origin: string | undefined): string | undefined {
  return origin !== undefined && /^https?:\/\//.test(origin) && URL.canParse(origin)
    ? new URL(origin).host
    : undefined;
}

function show(value: unknown): string {
  return value === undefined ? 'none' : String(value).slice(0, 100);
}
