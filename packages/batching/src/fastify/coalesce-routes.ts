import type { FastifyInstance, FastifyPluginAsync, FastifyRequest, RouteOptions } from 'fastify';
import type { CoalescerStats } from '../coalescer/coalescer.ts';
import type { CoalescedRequest } from '../http/routes/request-role.ts';
import { coalescedRoute } from '../http/routes/route-key.ts';
import { createSharedRuns } from '../http/routes/shared-runs.ts';
import {
  type CoalesceRoutesOptions,
  type RouteCoalesceOptions,
  resolveCoalesceRoutesOptions,
  resolveRouteCoalesceOptions,
} from './coalesce-routes-options.ts';
import {
  createRequestRoles,
  errorHook,
  markCoalesced,
  missedRouteError,
  sendHook,
  viewOf,
} from './request-roles.ts';
import { shareHandler } from './share-handler.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True, or options, to let equal requests of this route in flight share one run of its handler. Default `false`. */
    coalesce?: boolean | RouteCoalesceOptions | undefined;
  }
  interface FastifyRequest {
    /** The clients that the handler of a coalesced route works for. Elsewhere, and in hooks before the handler, it throws a TypeError. */
    readonly coalesced: CoalescedRequest;
  }
  interface FastifyInstance {
    readonly coalesced: CoalescedRoutes;
  }
}

/**
 * Fastify plugin: equal requests in flight of the routes with `config.coalesce` share one run of the handler
 * and its serialised answer, errors included. It holds for the routes that are added after it, in the scope
 * that registers it and below, so await its registration: routes of that scope that have `config.coalesce` and were added
 * before fail each request. It closes with the app, once the requests in flight are answered.
 *
 * - Equal requests have the same route, method, protocol, host, URL as sent, credentials, conditional and range headers, `vary`,
 *   and headers that the route's answers named in `Vary`. Whatever else a handler reads belongs in `vary` or `key`.
 * - The hooks before the handler run for each request, so each client is authenticated by itself.
 * - Each client keeps the headers that its own hooks set; it gets the leader's status, body, and all that the
 *   handler and later hooks added. A follower's `onSend` hooks see `undefined` as payload.
 * - A client that leaves affects no other, the first one included; when the last one has left, the signal aborts.
 * - Not shared: streams, `Response` objects, `reply.hijack()`, `reply.callNotFound()`, trailers, `Vary: *`, and
 *   an answer that sets a cookie. Then each waiting request runs the handler itself, all at once.
 *
 * @throws TypeError or RangeError, as a rejection, for options that are unknown or out of range, and for a second
 *   registration in one scope
 * @example
 * await app.register(coalesceRoutes, { loadTimeoutMs: 5000 });
 * app.get('/trains', { config: { coalesce: true } }, (request) => search(request.coalesced.signal));
 */
export const coalesceRoutes: FastifyPluginAsync<CoalesceRoutesOptions> = Object.assign(
  async (app: FastifyInstance, options: CoalesceRoutesOptions) => addTo(app, options),
  {
    // What fastify-plugin sets: the routes beside the plugin are its routes.
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: '@ticketing/batching/fastify',
  },
);

function addTo(app: FastifyInstance, options: CoalesceRoutesOptions): void {
  const { vary, header, coalescer } = resolveCoalesceRoutesOptions(options);
  if (app.hasDecorator('coalesced')) {
    throw new TypeError('Cannot register coalesceRoutes: it is registered in this scope already');
  }
  const sharedRuns = createSharedRuns(coalescer);
  const roles = createRequestRoles(app);
  const scope = { name: coalescer.name, roles };
  let id = 0;
  app.decorate('coalesced', { stats: () => sharedRuns.stats() });
  app.decorateRequest('coalesced', {
    getter(this: FastifyRequest) {
      return viewOf(roles, this);
    },
  });
  app.addHook('onRoute', (options: RouteOptions) => {
    const resolved = resolveRouteCoalesceOptions(options, vary);
    if (resolved === undefined) return;
    const route = { ...coalescedRoute(resolved, id++), key: resolved.key, header, sharedRuns };
    options.config = markCoalesced(options.config);
    options.handler = shareHandler(options.handler, route, scope);
    options.onSend = [options.onSend ?? [], sendHook(roles, route)].flat();
    options.onError = [options.onError ?? [], errorHook(roles)].flat();
  });
  // `onRoute` does not see the routes that were added before this runs; hooks for requests hold for them as well.
  app.addHook('onRequest', (request, _reply, done) => done(missedRouteError(request)));
  app.addHook('onClose', () => sharedRuns.close());
}

/** The plugin's `app.coalesced`. */
export interface CoalescedRoutes {
  /** Counters of the plugin's coalescer: a request of a coalesced route is asked, and joined or loaded. */
  stats(): CoalescerStats;
}
