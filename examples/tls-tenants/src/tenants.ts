// Which process has which tenant: the router asks, once for each connection.
import type { RouteFunction } from '@ticketing/socket-router';

export const tenants: ReadonlySet<string> = new Set(['anna.tenants.test', 'boris.tenants.test']);

export const route: RouteFunction = (head) => {
  if (head.kind === 'tls') {
    // One process has a tenant's caches. The worker ends the TLS: the router has no key and sees no request.
    return tenants.has(head.sni ?? '') ? { key: head.sni ?? '' } : { refuse: 421 };
  }
  // What comes without TLS is a browser that was given no scheme. A name that is not ours would make this an open redirect.
  const host = (head.header?.('host') ?? '').replace(/:\d+$/, '');
  if (!tenants.has(host) || !head.target?.startsWith('/')) return { refuse: 421 };
  return { answer: { status: 308, headers: { location: `https://${host}${head.target}` } } };
};
