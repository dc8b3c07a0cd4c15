import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { Client } from '../http/routes/client.ts';
import { enterRoute, type RoutedRequest, type RouteSteps } from '../http/routes/enter-route.ts';
import { refusedCall } from '../http/routes/error-answer.ts';
import { setRole } from '../http/routes/request-role.ts';
import { type Answer, unshared } from '../http/routes/shared-answer.ts';
import type { SharedRun } from '../http/routes/shared-runs.ts';
import { whenLeft } from '../http/routes/when-left.ts';
import { fillReply, headersOf } from './reply-answer.ts';
import { type FastifyRoute, keyedRequest } from './request-key.ts';
import { type RequestRoles, watchReply } from './request-roles.ts';

/** State that the routes of one plugin share. */
export interface RouteScope {
  readonly name: string;
  readonly roles: RequestRoles;
}

/** One request of Fastify on its way through a coalesced route. */
interface RoutedFastifyRequest extends RoutedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Runs the route's own handler. */
  readonly run: () => unknown;
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
    const keyed = keyedRequest(request, route);
    scope.roles.set(request, { kind: 'waiting', view: client });
    const exchange = { ...keyed, request, reply, run, scope };
    return enterRoute({ ...exchange, client, route, mayRetry: true }, steps);
  };
}

/** Functions whose results go to Fastify, as if the handler had returned or thrown them. */
const steps: RouteSteps<RoutedFastifyRequest, unknown> = {
  lead(routed, sharedRun, answer) {
    const result = lead(routed, sharedRun, answer);
    // After a wait the result is that of an async function.
    return routed.mayRetry ? result : replied(result, routed.reply);
  },
  send({ request, reply, client, route, scope }, answer) {
    scope.roles.set(request, { kind: 'answered', view: client, answer });
    fillReply(reply, answer);
    if (route.header) reply.header('x-coalesced', '1');
    // Fastify sends `undefined`, past its serialiser and past hooks that transform; the last hook puts in the body.
    return undefined;
  },
  refuse({ client }, error) {
    if (client.hasLeft) return undefined;
    throw refusedCall(error);
  },
  runAlone({ request, reply, client, run, scope }) {
    scope.roles.set(request, { kind: 'alone', view: client });
    setRole(reply.raw, { view: client });
    return replied(run(), reply);
  },
};

function lead(
  { request, reply, client, run, scope }: RoutedFastifyRequest,
  { context, settle }: SharedRun,
  answer: Promise<Answer>,
): unknown {
  const before = headersOf(reply);
  scope.roles.set(request, { kind: 'leading', view: context, before, settle });
  setRole(reply.raw, { view: context, settle });
  const refuse = (): void => settle(unshared);
  const isAwaited = watchReply(reply, refuse);
  answer.catch(() => {}); // It may reject before anything below listens: the handler may throw.
  const result = run();
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

/** Returns what an async function returns for the handler it ran: `undefined` of a handler with callbacks must not be sent. */
function replied(result: unknown, reply: FastifyReply): unknown {
  return result === undefined ? reply : result;
}

function isThenable(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
