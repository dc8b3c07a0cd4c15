import { canonicalKey } from '../canonical-key.ts';
import { Client } from '../http/routes/client.ts';
import { enterRoute, type RoutedRequest, type RouteSteps } from '../http/routes/enter-route.ts';
import { refusedCall } from '../http/routes/error-answer.ts';
import { type AnswerHeaders, type SentHeaders, sentHost } from '../http/routes/header-fields.ts';
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
import { errorResponse, isOfLeaver } from './error-response.ts';
import { type HonoContext, type HonoMiddleware, nodeExchange } from './hono-context.ts';
import { wholeBody } from './whole-body.ts';

/** Middleware of Hono before the handler of a route, and the requests in flight. */
export interface CoalescedRouteMiddleware extends HonoMiddleware, RouteCoalescer {}

/**
 * Creates middleware of Hono before the handler of a route, as `coalesceRoute` of `/http` is for Express. Middleware before it runs for
 * each request, around the shared answer too, so each client has headers of its own. An error of the handler goes through
 * `app.onError` once, and its response is shared. Not shared besides: a body above 1 MiB.
 *
 * @throws TypeError or RangeError for options that are unknown or out of range
 * @example
 * app.get('/trains', coalesceRoute({ loadTimeoutMs: 5000 }), async (context) =>
 *   context.json(await search(context.req.query(), coalescedRequest(context).signal)),
 * );
 */
export function coalesceRoute(
  options: CoalesceRouteOptions<HonoContext> = {},
): CoalescedRouteMiddleware {
  const route = openRoute(options);
  const middleware: HonoMiddleware = async (context, next) => {
    if (!route.methods.has(context.req.method)) return void (await next());
    const client = new Client(route.coalescer.name, (onLeave) => watchClient(context, onLeave));
    const { incoming } = nodeExchange(context);
    const headers: SentHeaders = incoming?.headers ?? headersOf(context.req.raw.headers);
    const target = targetOf(context, headers, route.key);
    const keyed = { headers, socket: incoming?.socket, target };
    return enterRoute({ ...keyed, context, next, client, route, mayRetry: true }, steps);
  };
  return withCoalescer(middleware, route.sharedRuns);
}

function watchClient(context: HonoContext, onLeave: () => void): void {
  const { outgoing } = nodeExchange(context);
  const { signal } = context.req.raw;
  if (outgoing) whenLeft(outgoing, onLeave);
  else if (signal.aborted) onLeave();
  else signal.addEventListener('abort', onLeave, { once: true });
}

/** One request of Hono on its way through a coalesced route. */
interface RoutedHonoRequest extends RoutedRequest {
  readonly context: HonoContext;
  readonly next: () => Promise<void>;
}

const steps: RouteSteps<RoutedHonoRequest, Response | undefined> = {
  lead,
  send({ context, route }, answer) {
    if (route.header) context.header('x-coalesced', '1');
    return responseOf(context, answer);
  },
  refuse({ context }, error) {
    throw refusedCallOfHono(error, context);
  },
  async runAlone({ context, next, client }) {
    setRole(context, { view: client });
    await next();
    return undefined;
  },
};

function lead(
  routed: RoutedHonoRequest,
  { context: view, settle }: SharedRun,
  answer: Promise<Answer>,
): Promise<undefined> {
  const { context, next, client } = routed;
  const before = headersOf(context.res.headers);
  setRole(context, { view, settle });
  return new Promise((resolve, reject) => {
    answer.catch((error) => {
      if (!client.hasLeft) reject(refusedCallOfHono(error, context));
    });
    // Hono catches what the handler throws, and has its answer in `context.res` then.
    next()
      .then(async () => {
        if (context.error !== undefined && isOfLeaver(context.error, context)) {
          // The handler gave up for the client of its own request; others may wait for its answer.
          settle(unshared);
        } else settle(await readResponse(routed, before));
      })
      .then(
        () => resolve(undefined),
        (error) => {
          settle(unshared);
          reject(error);
        },
      );
  });
}

async function readResponse(
  { context, route, headers: sent }: RoutedHonoRequest,
  before: AnswerHeaders,
): Promise<Answer> {
  const { res } = context;
  const headers = headersOf(res.headers);
  if (headers['x-hono-already-sent'] !== undefined) return unshared;
  const payload = await wholeBody(res);
  if (payload === undefined) return unshared;
  return readAnswer({ status: res.status, headers, before, payload, sent }, route);
}

/** Makes a response of an answer that another request's handler made, besides the headers of this one's own middleware. */
function responseOf(context: HonoContext, answer: SharedAnswer): Response {
  for (const name of answer.removed) context.header(name, undefined);
  for (const [name, value] of answer.headers) {
    if (Array.isArray(value)) {
      for (const each of value) context.header(name, each, { append: true });
    } else context.header(name, String(value));
  }
  return context.body(answer.payload ?? null, answer.status);
}

/** Makes an error that Hono answers by itself, as its `HTTPException`. */
function refusedCallOfHono(error: unknown, context: HonoContext): unknown {
  const response = errorResponse(error, context);
  if (response === undefined) return error;
  return Object.assign(refusedCall(error) as Error, { getResponse: () => response });
}

function targetOf(
  context: HonoContext,
  sent: SentHeaders,
  key: RequestKey<HonoContext> | undefined,
): string {
  const { req } = context;
  if (key !== undefined) return targetOfKey(key(context), req);
  return canonicalKey(req.method, req.url, sentHost(sent));
}

/** Returns headers as an object, with cookies as a list. */
function headersOf(headers: Headers): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) found['set-cookie'] = cookies;
  return found;
}
