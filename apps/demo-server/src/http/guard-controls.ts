import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Flags } from '../flags/flag-specs.ts';
import { isLoopback } from '../flags/flag-values.ts';
import { ProblemError } from './problem.ts';

/**
 * Refuses a request that changes something unless a page of this server sent it: a page elsewhere, or one behind a name that
 * was bound to this address, must not end workers on somebody's machine.
 *
 * @throws ProblemError with the reason
 */
export function guardControls(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { operator, host: boundHost }: Pick<Flags, 'operator' | 'host'>,
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
  const hostname = hostnameOf(host);
  // A name can be bound to this address by anybody, an address cannot.
  if (isIP(hostname) === 0 && !isLoopback(hostname) && hostname !== boundHost.toLowerCase()) {
    throw refusal(`Host must be an address, localhost or --host (${boundHost}), got ${show(host)}`);
  }
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
