import { canonicalKey } from '../canonical-key.ts';
import { Client } from '../http/routes/client.ts';
import { enterRoute, type RoutedRequest, type RouteSteps } from '../http/routes/enter-route.ts';
import { refusedCall } from '../http/routes/error-answer.ts';
import { sentHost } from '../http/routes/header-fields.ts';
import { isAbort } from '../http/routes/leaving-signal.ts';
import { openRoute, type RouteCoalescer, withCoalescer } from '../http/routes/open-route.ts';
import { setRole } from '../http/routes/request-role.ts';
import { targetOfKey } from '../http/routes/route-key.ts';
import type { CoalesceRouteOptions, RequestKey } from '../http/routes/route-options.ts';
import {
  type Answer,
  readAnswer,
  type SharedAnswer,
  unshared,
} from '../http/routes/shared-answer.ts';
import type { SharedRun } from '../http/routes/shared-runs.ts';
import { whenLeft } from '../http/routes/when-left.ts';
import type { KoaContext, KoaMiddleware } from './koa-context.ts';

/** Middleware of Koa before the handler of a route, and the requests in flight. */
export interface CoalescedRouteMiddleware extends KoaMiddleware, RouteCoalescer {}

/**
 * Creates middleware of Koa before the handler of a route, as `coalesceRoute` of `/http` is for Express. Middleware before it runs for
 * each request, around the shared answer too, so each client has headers of its own.
 *
 * - A body that is an object is made JSON once, here: middleware around it sees text.
 * - An error of the handler is thrown to each request that waits for it.
 * - Not shared besides: `context.respond = false`.
 *
 * @throws TypeError or RangeError for options that are unknown or out of range
 * @example
 * router.get('/trains', coalesceRoute({ loadTimeoutMs: 5000 }), async (context) => {
 *   context.body = await search(context.query, coalescedRequest(context).signal);
 * });
 */
export function coalesceRoute(
  options: CoalesceRouteOptions<KoaContext> = {},
): CoalescedRouteMiddleware {
  const route = openRoute(options);
  const middleware: KoaMiddleware = async (context, next) => {
    if (!route.methods.has(context.method)) return void (await next());
    const client = new Client(route.coalescer.name, (onLeave) => whenLeft(context.res, onLeave));
    const { headers, socket } = context.req;
    const keyed = { headers, socket, target: targetOf(context, route.key) };
    await enterRoute({ ...keyed, context, next, client, route, mayRetry: true }, steps);
  };
  return withCoalescer(middleware, route.sharedRuns);
}

/** One request of Koa on its way through a coalesced route. */
interface RoutedKoaRequest extends RoutedRequest {
  readonly context: KoaContext;
  readonly next: () => Promise<unknown>;
}

const steps: RouteSteps<RoutedKoaRequest, void> = {
  lead,
  send({ context, route }, answer) {
    fill(context, answer);
    if (route.header) context.set('x-coalesced', '1');
  },
  refuse({ client }, error) {
    if (!client.hasLeft) throw refusedCall(error);
  },
  async runAlone({ context, next, client }) {
    for (const each of [context, context.req, context.res]) setRole(each, { view: client });
    await next();
  },
};

function lead(
  routed: RoutedKoaRequest,
  { context: view, settle, fail }: SharedRun,
  answer: Promise<Answer>,
): Promise<void> {
  const { context, next, client } = routed;
  const before = { ...context.response.headers };
  for (const each of [context, context.req, context.res]) setRole(each, { view, settle });
  return new Promise((resolve, reject) => {
    answer.catch((error) => {
      if (!client.hasLeft) reject(refusedCall(error));
    });
    next().then(
      () => {
        settle(readBody(routed, before));
        resolve();
      },
      (error) => {
        if (client.hasLeft && isAbort(error)) {
          // The handler gave up for the client of its own request; others may wait for its answer.
          settle(unshared);
          resolve();
        } else if (client.hasLeft) {
          fail(error);
          reject(error);
        } else fail(error);
      },
    );
  });
}

function readBody(
  { context, route, headers: sent }: RoutedKoaRequest,
  before: KoaContext['response']['headers'],
): Answer {
  const { body, res } = context;
  if (context.respond === false || res.headersSent || isStream(body)) return unshared;
  if (typeof body === 'object' && body !== null && !(body instanceof Uint8Array)) {
    context.body = JSON.stringify(body);
  }
  const { status, response } = context;
  return readAnswer(
    { status, headers: response.headers, before, payload: context.body, sent },
    route,
  );
}

/** Returns whether a body comes over time: a stream of Node.js or the web, a Blob, a Response. */
function isStream(body: unknown): boolean {
  const { pipe, getReader, arrayBuffer } = Object(body);
  return [pipe, getReader, arrayBuffer].some((member) => typeof member === 'function');
}

/** Gives a context an answer that another request's handler made. */
function fill(context: KoaContext, answer: SharedAnswer): void {
  const { payload, status } = answer;
  // The body comes first: Koa sets headers by it, which the headers of the answer replace.
  if (payload !== undefined) context.body = payload;
  context.status = status;
  for (const name of answer.removed) context.remove(name);
  for (const [name, value] of answer.headers) {
    const own = name === 'set-cookie' ? [context.response.headers[name] ?? []].flat() : [];
    context.set(name, Array.isArray(value) ? [...own.map(String), ...value] : String(value));
  }
}

function targetOf(context: KoaContext, key: RequestKey<KoaContext> | undefined): string {
  if (key !== undefined) return targetOfKey(key(context), context);
  const { method, protocol, host, url, originalUrl, req } = context;
  return canonicalKey(method, protocol, host, sentHost(req.headers), url, originalUrl);
}
