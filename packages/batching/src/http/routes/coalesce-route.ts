import { aFunction, wrongOption } from '@ticketing/kit';
import { canonicalKey } from '../../canonical-key.ts';
import type { BatchingError } from '../../errors.ts';
import { Client } from './client.ts';
import { enterRoute, type RoutedRequest, type RouteSteps } from './enter-route.ts';
import { errorAnswer, sendErrorAnswer } from './error-answer.ts';
import type { AnswerHeaders } from './header-fields.ts';
import { sentHost } from './header-fields.ts';
import { watchResponse, writeAnswer } from './held-response.ts';
import { openRoute, type RouteCoalescer, withCoalescer } from './open-route.ts';
import { setRole } from './request-role.ts';
import { targetOfKey } from './route-key.ts';
import type { CoalesceRouteOptions, RequestKey } from './route-options.ts';
import { type Answer, readAnswer, unshared } from './shared-answer.ts';
import type { SharedRun } from './shared-runs.ts';
import { type HttpRequest, type HttpResponse, whenLeft } from './when-left.ts';

/** Middleware of `node:http` shape, as Express, Connect and Nest take it. */
export interface CoalescedRouteMiddleware extends RouteCoalescer {
  (request: HttpRequest, response: HttpResponse, next: (error?: unknown) => void): void;
}

/**
 * Creates middleware before the handler of a route: equal requests in flight share one run of the handler, and each gets its
 * status, headers and bytes. For Express, Nest, Connect and `node:http`; Koa, Hono and Fastify have entries of their own.
 * Create one per route.
 *
 * - Equal requests have the same method, protocol, host, URL as sent, credentials, conditional and range headers, `vary`,
 *   and headers that the route's answers named in `Vary`. Whatever else a handler reads belongs in `vary` or `key`.
 * - Middleware before it runs for each request, so each client is authenticated by itself and keeps its own headers. Middleware
 *   after it, an error handler included, runs for the first request, and its answer goes to all.
 * - A client that leaves affects no other, the first one included; when the last one has left, the signal of
 *   `coalescedRequest(request)` aborts.
 * - Not shared: streams, trailers, `Vary: *`, and an answer that sets a cookie. Then each waiting request runs the handler
 *   itself, all at once.
 * - Above a bound and after `close()` a request is answered by 503, at `loadTimeoutMs` by 504: see the option `refuse`. `next` is
 *   called at most once.
 *
 * @throws TypeError or RangeError for options that are unknown or out of range
 * @example
 * app.get('/trains', coalesceRoute({ loadTimeoutMs: 5000 }), async (request, response) => {
 *   response.json(await search(request.query, coalescedRequest(request).signal));
 * });
 */
export function coalesceRoute(options: HttpRouteOptions = {}): CoalescedRouteMiddleware {
  const { refuse = sendRefusal, ...others } = options;
  if (!aFunction.test(refuse)) throw wrongOption('coalesce a route', 'refuse', aFunction, refuse);
  const route = openRoute(others);
  const middleware = (
    request: HttpRequest,
    response: HttpResponse,
    next: (error?: unknown) => void,
  ): void => {
    if (!route.methods.has(request.method ?? '')) {
      next();
      return;
    }
    const client = new Client(route.coalescer.name, (onLeave) => whenLeft(response, onLeave));
    let target: string;
    try {
      target = targetOf(request, route.key);
    } catch (error) {
      next(error);
      return;
    }
    const { headers, socket } = request;
    const keyed = { headers, socket, target };
    const routed = { ...keyed, request, response, next, refuse, client, route, mayRetry: true };
    enterRoute(routed, steps)?.catch(next);
  };
  return withCoalescer(middleware, route.sharedRuns);
}

/** Answers a request that is refused or late. */
export type RefuseRequest = (
  error: BatchingError,
  request: HttpRequest,
  response: HttpResponse,
) => void;

/** Options of `coalesceRoute` of `/http`. */
export interface HttpRouteOptions extends CoalesceRouteOptions {
  /**
   * Answers a request that is above a bound, late or after the close, by an error of status 503 or 504. Default: by what
   * `errorAnswer` returns.
   */
  readonly refuse?: RefuseRequest | undefined;
}

function sendRefusal(error: BatchingError, _request: HttpRequest, response: HttpResponse): void {
  const answer = errorAnswer(error);
  if (answer !== undefined) sendErrorAnswer(response, answer);
}

/** One request of `node:http` on its way through a coalesced route. */
interface RoutedHttpRequest extends RoutedRequest {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly next: (error?: unknown) => void;
  readonly refuse: RefuseRequest;
}

const steps: RouteSteps<RoutedHttpRequest, undefined> = {
  lead,
  send({ response, route }, answer) {
    if (route.header) response.setHeader('x-coalesced', '1');
    writeAnswer(response, answer);
  },
  refuse({ request, response, client, refuse }, error) {
    if (!client.hasLeft) refuse(error as BatchingError, request, response);
  },
  runAlone({ request, response, next, client }) {
    for (const each of [request, response]) setRole(each, { view: client });
    next();
  },
};

function lead(
  { request, response, next, refuse, client, headers: sent, route }: RoutedHttpRequest,
  { context, settle }: SharedRun,
  answer: Promise<Answer>,
): undefined {
  const before: AnswerHeaders = { ...(response.getHeaders() as AnswerHeaders) };
  for (const each of [request, response]) setRole(each, { view: context, settle });
  const ignoreLater = watchResponse(response, {
    ended: (ended) => settle(readAnswer({ ...ended, before, sent }, route)),
    unshared: () => settle(unshared),
  });
  answer.catch((error) => {
    // The client left, or the handler is late, in which case the client gets the error instead.
    if (client.hasLeft) return;
    ignoreLater();
    refuse(error, request, response);
  });
  next();
}

/** Members of a request that Express, and Nest on Fastify, add. A handler may read them, or the ones that were sent. */
interface RequestOfFramework {
  readonly originalUrl?: unknown;
  readonly protocol?: unknown;
  readonly hostname?: unknown;
  readonly host?: unknown;
}

function targetOf(request: HttpRequest, key: RequestKey | undefined): string {
  if (key !== undefined) return targetOfKey(key(request), request);
  const { method, url, headers, socket } = request;
  const { originalUrl, protocol, hostname } = request as RequestOfFramework;
  // Express 4 warns of `host`, and has no other member that Express 5 lacks and a getter does not warn of.
  const host = 'param' in request ? undefined : (request as RequestOfFramework).host;
  const isEncrypted = Boolean((socket as { readonly encrypted?: unknown } | undefined)?.encrypted);
  return canonicalKey(
    method,
    isEncrypted,
    sentHost(headers),
    url,
    ...[originalUrl, protocol, hostname, host].map((value) =>
      typeof value === 'string' ? value : undefined,
    ),
  );
}
