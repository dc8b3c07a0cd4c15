import { canonicalKey } from '../canonical-key.ts';
import { Client } from '../http/routes/client.ts';
import type { RouteCoalescer } from '../http/routes/coalesce-route.ts';
import { type AnswerHeaders, type SentHeaders, sentHost } from '../http/routes/header-fields.ts';
import { refusedCall } from '../http/routes/refused-call.ts';
import { setRole } from '../http/routes/request-role.ts';
import {
  type CoalescedRoute,
  checkedKey,
  coalescedRoute,
  requestKey,
} from '../http/routes/route-key.ts';
import {
  type CoalesceRouteOptions,
  type ResolvedCoalesceRouteOptions,
  resolveCoalesceRouteOptions,
} from '../http/routes/route-options.ts';
import {
  type Answer,
  answers,
  readAnswer,
  type SharedAnswer,
  unshared,
} from '../http/routes/shared-answer.ts';
import { createSharedRuns, type SharedRun, type SharedRuns } from '../http/routes/shared-runs.ts';
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
  const resolved = resolveCoalesceRouteOptions(options);
  const { coalescer, methods } = resolved;
  const sharedRuns = createSharedRuns(coalescer);
  const route = coalescedRoute(resolved, 0);
  const middleware: HonoMiddleware = async (context, next) => {
    if (!methods.has(context.req.method)) return void (await next());
    const client = new Client(coalescer.name, (onLeave) => watchClient(context, onLeave));
    const { incoming } = nodeExchange(context);
    const sent = (incoming?.headers ?? headersOf(context.req.raw.headers)) as SentHeaders;
    const routed = { context, next, client, sent, route, sharedRuns, options: resolved };
    return enter(routed, true);
  };
  return Object.assign(middleware, {
    stats: () => sharedRuns.stats(),
    close: () => sharedRuns.close(),
  });
}

function watchClient(context: HonoContext, onLeave: () => void): void {
  const { outgoing } = nodeExchange(context);
  const { signal } = context.req.raw;
  if (outgoing) whenLeft(outgoing, onLeave);
  else if (signal.aborted) onLeave();
  else signal.addEventListener('abort', onLeave, { once: true });
}

/** One request on its way through a coalesced route. */
interface RoutedRequest {
  readonly context: HonoContext;
  readonly next: () => Promise<void>;
  readonly client: Client;
  readonly sent: SentHeaders;
  readonly route: CoalescedRoute;
  readonly sharedRuns: SharedRuns;
  readonly options: ResolvedCoalesceRouteOptions<HonoContext>;
}

/** Leads or follows. */
function enter(routed: RoutedRequest, mayRetry: boolean): Promise<Response | undefined> {
  const { context, client, sent, route, sharedRuns, options } = routed;
  const socket = nodeExchange(context).incoming?.socket;
  const target = targetOf(context, sent, options);
  const key = requestKey({ headers: sent, socket, target }, route);
  const { answer, sharedRun } = sharedRuns.enter(key, client);
  return sharedRun ? lead(routed, sharedRun, answer) : follow(routed, answer, mayRetry);
}

function lead(
  { context, next, client, sent, route }: RoutedRequest,
  { context: view, settle }: SharedRun,
  answer: Promise<Answer>,
): Promise<undefined> {
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
        } else settle(await readResponse(context.res, { before, sent }, route));
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
  response: Response,
  exchange: { readonly before: AnswerHeaders; readonly sent: SentHeaders },
  route: CoalescedRoute,
): Promise<Answer> {
  const headers = headersOf(response.headers);
  if (headers['x-hono-already-sent'] !== undefined) return unshared;
  const payload = await wholeBody(response);
  if (payload === undefined) return unshared;
  return readAnswer({ ...exchange, status: response.status, headers, payload }, route);
}

async function follow(
  routed: RoutedRequest,
  answer: Promise<Answer>,
  mayRetry: boolean,
): Promise<Response | undefined> {
  const { context, next, client, sent, options } = routed;
  let shared: Answer;
  try {
    shared = await answer;
  } catch (error) {
    throw refusedCallOfHono(error, context);
  }
  if (shared.kind === 'shared' && answers(shared, sent)) {
    if (options.header) context.header('x-coalesced', '1');
    return responseOf(context, shared);
  }
  // Its `Vary` is now part of the key: requests that are equal in that too share the next run.
  if (shared.kind === 'shared' && mayRetry) return enter(routed, false);
  setRole(context, { view: client });
  await next();
  return undefined;
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
  { key }: ResolvedCoalesceRouteOptions<HonoContext>,
): string {
  const { method, url } = context.req;
  if (key !== undefined) {
    return canonicalKey(method, 'key', checkedKey(key(context), `coalesce ${method} ${url}`));
  }
  return canonicalKey(method, url, sentHost(sent));
}

/** Returns headers as an object, with cookies as a list. */
function headersOf(headers: Headers): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) found['set-cookie'] = cookies;
  return found;
}
