import { aFunction, wrongOption } from '@ticketing/kit';
import { canonicalKey } from '../../canonical-key.ts';
import type { CoalescerStats } from '../../coalescer/coalescer.ts';
import type { BatchingError } from '../../errors.ts';
import { Client } from './client.ts';
import { errorAnswer, sendErrorAnswer } from './error-answer.ts';
import type { AnswerHeaders, SentHeaders } from './header-fields.ts';
import { sentHost } from './header-fields.ts';
import { watchResponse, writeAnswer } from './held-response.ts';
import { setRole } from './request-role.ts';
import { type CoalescedRoute, checkedKey, coalescedRoute, requestKey } from './route-key.ts';
import {
  type CoalesceRouteOptions,
  type ResolvedCoalesceRouteOptions,
  resolveCoalesceRouteOptions,
} from './route-options.ts';
import { type Answer, answers, readAnswer, unshared } from './shared-answer.ts';
import { createSharedRuns, type SharedRun, type SharedRuns } from './shared-runs.ts';
import { type HttpRequest, type HttpResponse, whenLeft } from './when-left.ts';

/** Requests in flight of a coalesced route. */
export interface RouteCoalescer {
  /** Counters: a request of the route is asked, and joined or loaded. */
  stats(): CoalescerStats;
  /** Ends the requests in flight with 503. Call it once the server has closed. */
  close(): Promise<void>;
}

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
  const resolved = { ...resolveCoalesceRouteOptions(others), refuse };
  const { coalescer, methods } = resolved;
  const sharedRuns = createSharedRuns(coalescer);
  const route = coalescedRoute(resolved, 0);
  const middleware = (
    request: HttpRequest,
    response: HttpResponse,
    next: (error?: unknown) => void,
  ): void => {
    if (!methods.has(request.method ?? '')) {
      next();
      return;
    }
    const client = new Client(coalescer.name, (onLeave) => whenLeft(response, onLeave));
    const routed = { request, response, next, client, route, sharedRuns, options: resolved };
    enter(routed, true);
  };
  return Object.assign(middleware, {
    stats: () => sharedRuns.stats(),
    close: () => sharedRuns.close(),
  });
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

interface ResolvedHttpRouteOptions extends ResolvedCoalesceRouteOptions<HttpRequest> {
  readonly refuse: RefuseRequest;
}

function sendRefusal(error: BatchingError, _request: HttpRequest, response: HttpResponse): void {
  const answer = errorAnswer(error);
  if (answer !== undefined) sendErrorAnswer(response, answer);
}

/** One request on its way through a coalesced route. */
interface RoutedRequest {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly next: (error?: unknown) => void;
  readonly client: Client;
  readonly route: CoalescedRoute;
  readonly sharedRuns: SharedRuns;
  readonly options: ResolvedHttpRouteOptions;
}

/** Leads or follows. */
function enter(routed: RoutedRequest, mayRetry: boolean): void {
  const { request, client, route, sharedRuns, options, next } = routed;
  let key: string;
  try {
    const { headers, socket } = request;
    key = requestKey({ headers, socket, target: targetOf(request, options) }, route);
  } catch (error) {
    next(error);
    return;
  }
  const { answer, sharedRun } = sharedRuns.enter(key, client);
  if (sharedRun) lead(routed, sharedRun, answer);
  else follow(routed, answer, mayRetry).catch(next);
}

function lead(
  { request, response, next, client, route, options }: RoutedRequest,
  { context, settle }: SharedRun,
  answer: Promise<Answer>,
): void {
  const before: AnswerHeaders = { ...(response.getHeaders() as AnswerHeaders) };
  const sent = request.headers as SentHeaders;
  for (const each of [request, response]) setRole(each, { view: context, settle });
  const ignoreLater = watchResponse(response, {
    ended: (ended) => settle(readAnswer({ ...ended, before, sent }, route)),
    unshared: () => settle(unshared),
  });
  answer.catch((error) => {
    // The client left, or the handler is late, in which case the client gets the error instead.
    if (client.hasLeft) return;
    ignoreLater();
    options.refuse(error, request, response);
  });
  next();
}

async function follow(
  routed: RoutedRequest,
  answer: Promise<Answer>,
  mayRetry: boolean,
): Promise<void> {
  const { request, response, next, client, options } = routed;
  let shared: Answer;
  try {
    shared = await answer;
  } catch (error) {
    if (!client.hasLeft) options.refuse(error as BatchingError, request, response);
    return;
  }
  if (shared.kind === 'shared' && answers(shared, request.headers as SentHeaders)) {
    if (options.header) response.setHeader('x-coalesced', '1');
    writeAnswer(response, shared);
  } else if (shared.kind === 'shared' && mayRetry) {
    // Its `Vary` is now part of the key: requests that are equal in that too share the next run.
    enter(routed, false);
  } else {
    for (const each of [request, response]) setRole(each, { view: client });
    next();
  }
}

/** Members of a request that Express, and Nest on Fastify, add. A handler may read them, or the ones that were sent. */
interface RequestOfFramework {
  readonly originalUrl?: unknown;
  readonly protocol?: unknown;
  readonly hostname?: unknown;
  readonly host?: unknown;
}

function targetOf(
  request: HttpRequest,
  { key }: ResolvedCoalesceRouteOptions<HttpRequest>,
): string {
  const { method = '', url, headers, socket } = request;
  if (key !== undefined) {
    return canonicalKey(method, 'key', checkedKey(key(request), `coalesce ${method} ${url}`));
  }
  const { originalUrl, protocol, hostname } = request as RequestOfFramework;
  // Express 4 warns of `host`, and has no other member that Express 5 lacks and a getter does not warn of.
  const host = 'param' in request ? undefined : (request as RequestOfFramework).host;
  const isEncrypted = Boolean((socket as { readonly encrypted?: unknown } | undefined)?.encrypted);
  return canonicalKey(
    method,
    isEncrypted,
    sentHost(headers as SentHeaders),
    url,
    ...[originalUrl, protocol, hostname, host].map((value) =>
      typeof value === 'string' ? value : undefined,
    ),
  );
}
