import { canonicalKey } from '../canonical-key.ts';
import { Client } from '../http/routes/client.ts';
import type { RouteCoalescer } from '../http/routes/coalesce-route.ts';
import { type SentHeaders, sentHost } from '../http/routes/header-fields.ts';
import { isAbort } from '../http/routes/leaving-signal.ts';
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
  const resolved = resolveCoalesceRouteOptions(options);
  const { coalescer, methods } = resolved;
  const sharedRuns = createSharedRuns(coalescer);
  const route = coalescedRoute(resolved, 0);
  const middleware: KoaMiddleware = async (context, next) => {
    if (!methods.has(context.method)) return void (await next());
    const client = new Client(coalescer.name, (onLeave) => whenLeft(context.res, onLeave));
    await enter({ context, next, client, route, sharedRuns, options: resolved }, true);
  };
  return Object.assign(middleware, {
    stats: () => sharedRuns.stats(),
    close: () => sharedRuns.close(),
  });
}

/** One request on its way through a coalesced route. */
interface RoutedRequest {
  readonly context: KoaContext;
  readonly next: () => Promise<unknown>;
  readonly client: Client;
  readonly route: CoalescedRoute;
  readonly sharedRuns: SharedRuns;
  readonly options: ResolvedCoalesceRouteOptions<KoaContext>;
}

/** Leads or follows. */
function enter(routed: RoutedRequest, mayRetry: boolean): Promise<void> {
  const { context, client, route, sharedRuns, options } = routed;
  const { headers, socket } = context.req;
  const key = requestKey({ headers, socket, target: targetOf(context, options) }, route);
  const { answer, sharedRun } = sharedRuns.enter(key, client);
  return sharedRun ? lead(routed, sharedRun, answer) : follow(routed, answer, mayRetry);
}

function lead(
  { context, next, client, route }: RoutedRequest,
  { context: view, settle, fail }: SharedRun,
  answer: Promise<Answer>,
): Promise<void> {
  const before = { ...context.response.headers };
  for (const each of [context, context.req, context.res]) setRole(each, { view, settle });
  return new Promise((resolve, reject) => {
    answer.catch((error) => {
      if (!client.hasLeft) reject(refusedCall(error));
    });
    next().then(
      () => {
        settle(readBody(context, route, before));
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
  context: KoaContext,
  route: CoalescedRoute,
  before: KoaContext['response']['headers'],
): Answer {
  const { body, res } = context;
  if (context.respond === false || res.headersSent || isStream(body)) return unshared;
  if (typeof body === 'object' && body !== null && !(body instanceof Uint8Array)) {
    context.body = JSON.stringify(body);
  }
  const { status, response, req } = context;
  const sent = req.headers as SentHeaders;
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

async function follow(
  routed: RoutedRequest,
  answer: Promise<Answer>,
  mayRetry: boolean,
): Promise<void> {
  const { context, next, client, options } = routed;
  let shared: Answer;
  try {
    shared = await answer;
  } catch (error) {
    if (client.hasLeft) return;
    throw refusedCall(error);
  }
  if (shared.kind === 'shared' && answers(shared, context.req.headers as SentHeaders)) {
    fill(context, shared);
    if (options.header) context.set('x-coalesced', '1');
  } else if (shared.kind === 'shared' && mayRetry) {
    // Its `Vary` is now part of the key: requests that are equal in that too share the next run.
    await enter(routed, false);
  } else {
    for (const each of [context, context.req, context.res]) setRole(each, { view: client });
    await next();
  }
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

function targetOf(context: KoaContext, { key }: ResolvedCoalesceRouteOptions<KoaContext>): string {
  const { method, protocol, host, url, originalUrl } = context;
  if (key !== undefined) {
    return canonicalKey(method, 'key', checkedKey(key(context), `coalesce ${method} ${url}`));
  }
  const sent = sentHost(context.req.headers as SentHeaders);
  return canonicalKey(method, protocol, host, sent, url, originalUrl);
}
