import type { FastifyRequest } from 'fastify';
import { canonicalKey } from '../canonical-key.ts';
import type { SharedRoute } from '../http/routes/enter-route.ts';
import { sentHost } from '../http/routes/header-fields.ts';
import { checkedKey, type KeyedRequest } from '../http/routes/route-key.ts';
import type { RouteKey } from './coalesce-routes-options.ts';

/** A route of Fastify that is coalesced. */
export interface FastifyRoute extends SharedRoute {
  readonly key: RouteKey | undefined;
}

/**
 * Returns the parts of a request that its key is made of.
 *
 * @throws TypeError if the route's own key is an object or a symbol that is not registered; what it throws
 */
export function keyedRequest(request: FastifyRequest, route: FastifyRoute): KeyedRequest {
  const { headers, raw } = request;
  return { headers, socket: raw.socket, target: targetOf(request, route) };
}

function targetOf(request: FastifyRequest, { key }: FastifyRoute): string {
  // Host, protocol and URL may each be two: what the client or its proxy sent, and what Fastify makes of it by `trustProxy` or a
  // rewriting of URLs. A handler may read either.
  const { method, protocol, host, url, originalUrl, headers } = request;
  if (key !== undefined) {
    const action = `coalesce ${method} ${request.routeOptions.url ?? url}`;
    return canonicalKey('key', checkedKey(key(request), action));
  }
  return canonicalKey(method, protocol, host, sentHost(headers), url, originalUrl);
}
