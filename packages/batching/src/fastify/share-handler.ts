import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { Client } from '../http/routes/client.ts';
import { refusedCall } from '../http/routes/refused-call.ts';
import { setRole } from '../http/routes/request-role.ts';
import { type Answer, answers } from '../http/routes/shared-answer.ts';
import type { SharedRun, SharedRuns } from '../http/routes/shared-runs.ts';
import { whenLeft } from '../http/routes/when-left.ts';
import { fillReply, headersOf } from './reply-answer.ts';
import { type FastifyRoute, keyOfRequest } from './request-key.ts';
import { type RequestRoles, watchReply } from './request-roles.ts';

/** State that the routes of one plugin share. */
export interface RouteScope {
  readonly name: string;
  /** True if a shared answer has `x-coalesced`. */
  readonly header: boolean;
  readonly sharedRuns: SharedRuns;
  readonly roles: RequestRoles;
}

/** One request on its way through a coalesced route. */
interface RoutedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly client: Client;
  /** Runs the route's own handler. */
  readonly run: () => unknown;
  readonly route: FastifyRoute;
  readonly scope: RouteScope;
}

/** Wraps a route's handler: one of several equal requests runs it, the others wait for its answer. */
export function shareHandler(
  handler: RouteHandlerMethod,
  route: FastifyRoute,
  scope: RouteScope,
): RouteHandlerMethod {
  return function coalesced(request, reply) {
    const client = new Client(scope.name, (onLeave) => whenLeft(reply.raw, onLeave));
    const run = (): unknown => handler.call(this, request, reply);
    return enter({ request, reply, client, run, route, scope }, true);
  };
}

/** Leads or follows. What it returns or throws goes to Fastify, as if the handler had. */
function enter(routed: RoutedRequest, mayRetry: boolean): unknown {
  const { request, client, route, scope } = routed;
  const { answer, sharedRun } = scope.sharedRuns.enter(keyOfRequest(request, route), client);
  return sharedRun ? lead(routed, sharedRun, answer) : follow(routed, answer, mayRetry);
}

function lead(
  routed: RoutedRequest,
  { context, settle }: SharedRun,
  answer: Promise<Answer>,
): unknown {
  const { request, reply, client, scope } = routed;
  const before = headersOf(reply);
  scope.roles.set(request, { kind: 'leading', view: context, before, settle });
  setRole(reply.raw, { view: context, settle });
  const refuse = (): void => settle({ kind: 'unshared' });
  const isAwaited = watchReply(reply, refuse);
  answer.catch(() => {}); // It may reject before anything below listens: the handler may throw.
  const result = routed.run();
  if (!isThenable(result)) {
    answer.catch((error) => {
      if (!client.hasLeft && !reply.sent) reply.send(refusedCall(error));
    });
    return result;
  }
  return new Promise((resolve, reject) => {
    answer.catch((error) => {
      if (!client.hasLeft) reject(refusedCall(error));
    });
    result.then(
      (value) => {
        // Fastify does not send `undefined` once the client has left, so there will be no answer.
        if (value === undefined && client.hasLeft && !isAwaited()) refuse();
        resolve(value);
      },
      (error) => {
        // A handler that gives up at the load timeout must not be faster than the timeout's own answer.
        if (context.signal.aborted && !client.hasLeft) void answer.catch(() => reject(error));
        else reject(error);
      },
    );
  });
}

async function follow(
  routed: RoutedRequest,
  answer: Promise<Answer>,
  mayRetry: boolean,
): Promise<unknown> {
  const { request, reply, client, scope } = routed;
  scope.roles.set(request, { kind: 'waiting', view: client });
  let shared: Answer;
  try {
    shared = await answer;
  } catch (error) {
    if (client.hasLeft) return undefined;
    throw refusedCall(error);
  }
  if (shared.kind === 'shared' && answers(shared, request.headers)) {
    scope.roles.set(request, { kind: 'answered', view: client, answer: shared });
    fillReply(reply, shared);
    if (scope.header) reply.header('x-coalesced', '1');
    // Fastify sends `undefined`, past its serialiser and past hooks that transform; the last hook puts in the body.
    return undefined;
  }
  // Its `Vary` is now part of the key: requests that are equal in that too share the next run.
  if (shared.kind === 'shared' && mayRetry) return replied(enter(routed, false), reply);
  scope.roles.set(request, { kind: 'alone', view: client });
  setRole(reply.raw, { view: client });
  return replied(routed.run(), reply);
}

/** Returns what an async function returns for the handler it ran: `undefined` of a handler with callbacks must not be sent. */
function replied(result: unknown, reply: FastifyReply): unknown {
  return result === undefined ? reply : result;
}

function isThenable(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
