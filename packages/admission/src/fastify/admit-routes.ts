import { AsyncResource } from 'node:async_hooks';
import { aFunction, type Rules, required, resolveByRules, withMethods } from '@ticketing/kit';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../admission.ts';
import type { Refusal } from '../applicant-queue.ts';
import { watchArrivals } from '../http/request-arrivals.ts';
import { sendRefusal } from '../http/send-refusal.ts';
import { watchClients } from '../http/watch-clients.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * `false`: this route is answered however busy the server is. Only for one whose work no client can make more, by its content
     * or by its rate. Default: its requests wait for their admission.
     */
    admission?: false | RouteAdmission | undefined;
  }
  interface FastifyRequest {
    /** Earliest time at which the request can have arrived, on the clock of `performance.now()`; 0 without `admitRoutes`. */
    arrivedAt: number;
  }
}

/** `config.admission` of a route. */
export interface RouteAdmission {
  /** Returns the key by which requests of this route share their work; `undefined` for a request that shares nothing. */
  readonly keyOf?: ((request: FastifyRequest) => string | undefined) | undefined;
}

export interface AdmitRoutesOptions {
  readonly admission: Admission;
  /**
   * Returns an earlier time at which a request arrived, on the clock of `performance.now()`: one that another process measured.
   * Default: none is known.
   */
  readonly arrivedAt?: (request: FastifyRequest) => number | undefined;
  /**
   * Answers a request that is refused, by the reply or past it. Default: 503 with `Retry-After: 1` and a problem document, written
   * past the reply, which takes as long as a small handler.
   */
  readonly refuse?: (reply: FastifyReply, reason: Refusal) => void;
}

const rules = {
  admission: required(withMethods('apply', 'connected', 'arrivedAt')),
  arrivedAt: { ...aFunction, fallback: () => undefined },
  refuse: {
    ...aFunction,
    fallback: (reply: FastifyReply, reason: Refusal) => {
      reply.hijack();
      sendRefusal(reply.raw, reason);
    },
  },
} satisfies Rules;

/**
 * Fastify plugin: the requests of all routes in its scope, those without a route included, wait for their admission before the hooks
 * that are added later. Register it first, so that a refusal costs little. A request whose client leaves while it waits never begins.
 *
 * @throws TypeError, as a rejection, for options that are wrong, and for a second registration in one scope
 * @example
 * await app.register(admitRoutes, { admission: createAdmission({ deadlineMs: 2000 }) });
 * app.get('/health', { config: { admission: false } }, async () => 'ok');
 */
export const admitRoutes: FastifyPluginAsync<AdmitRoutesOptions> = Object.assign(
  async (app: FastifyInstance, options: AdmitRoutesOptions) => addTo(app, options),
  {
    // What fastify-plugin sets: the routes beside the plugin are its routes.
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: '@ticketing/admission/fastify',
  },
);

function addTo(app: FastifyInstance, options: AdmitRoutesOptions): void {
  const { admission, arrivedAt, refuse } = resolveByRules<Required<AdmitRoutesOptions>>(
    'register admitRoutes',
    options,
    rules,
  );
  if (app.hasRequestDecorator('arrivedAt')) {
    throw new TypeError('Cannot register admitRoutes: it is registered in this scope already');
  }
  app.decorateRequest('arrivedAt', 0);
  const arrivalOf = watchArrivals(app.server, admission);
  const whenOver = watchClients();
  app.addHook('onRequest', (request, reply, done) => {
    const readAt = arrivalOf(request.raw);
    request.arrivedAt = Math.min(readAt, arrivedAt(request) ?? readAt);
    const { admission: settings } = request.routeOptions.config;
    if (settings === false) {
      done();
      return;
    }
    // It begins in a turn of the event loop that another request may have asked for.
    const context = new AsyncResource('TicketingAdmission');
    const withdraw = admission.apply({
      arrivedAt: request.arrivedAt,
      key: settings?.keyOf?.(request),
      begin: () => context.runInAsyncScope(done),
      refuse: (reason) => refuse(reply, reason),
    });
    whenOver(reply.raw, withdraw);
  });
}
