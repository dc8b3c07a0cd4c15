import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { type Answer, answers, fillReply, type HeadersBefore } from './answer.ts';
import { answerError } from './answer-error.ts';
import { clientSignal } from './client-signal.ts';
import type { CoalescedRoute } from './coalesced-route.ts';
import type { Flight, Flights } from './flights.ts';
import { requestKey } from './request-key.ts';
import { type Seats, watchReply } from './seats.ts';

/** What the routes of one plugin have in common. */
export interface RouteScope {
  readonly name: string;
  /** Whether a shared answer says so. */
  readonly header: boolean;
  readonly flights: Flights;
  readonly seats: Seats;
}

/** One request on its way through a coalesced route. */
interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Aborts when this request's client leaves. */
  readonly client: AbortSignal;
  /** Runs the route's own handler. */
  readonly run: () => unknown;
  readonly route: CoalescedRoute;
  readonly scope: RouteScope;
}

/** Wraps a route's handler: one of several equal requests runs it, the others wait for its answer. */
export function shareHandler(
  handler: RouteHandlerMethod,
  route: CoalescedRoute,
  scope: RouteScope,
): RouteHandlerMethod {
  return function coalesced(request, reply) {
    const client = clientSignal(reply, scope.name);
    const run = (): unknown => handler.call(this, request, reply);
    return enter({ request, reply, client, run, route, scope }, true);
  };
}

/** Leads or follows. What it returns or throws goes to Fastify, as if the handler had. */
function enter(visit: Visit, mayRetry: boolean): unknown {
  const { request, client, route, scope } = visit;
  const { answer, flight } = scope.flights.enter(requestKey(request, route), client);
  return flight ? lead(visit, flight, answer) : follow(visit, answer, mayRetry);
}

function lead(visit: Visit, { context, land }: Flight, answer: Promise<Answer>): unknown {
  const { request, reply, client, scope } = visit;
  const before = reply.getHeaders() as HeadersBefore;
  scope.seats.set(request, { kind: 'leading', view: context, before, land });
  const refuse = (): void => land({ kind: 'unshared' });
  const isAwaited = watchReply(reply, refuse);
  answer.catch(() => {}); // It may reject before anything below listens: the handler may throw.
  const result = visit.run();
  if (!isThenable(result)) {
    answer.catch((error) => {
      if (!client.aborted && !reply.sent) reply.send(answerError(error));
    });
    return result;
  }
  return new Promise((resolve, reject) => {
    answer.catch((error) => {
      if (!client.aborted) reject(answerError(error));
    });
    result.then(
      (value) => {
        // Fastify sends `undefined` to nobody once the client has left, so there will be no answer.
        if (value === undefined && client.aborted && !isAwaited()) refuse();
        resolve(value);
      },
      (error) => {
        // A handler that gives up at the load timeout must not be faster than the timeout's own answer.
        if (context.signal.aborted && !client.aborted) void answer.catch(() => reject(error));
        else reject(error);
      },
    );
  });
}

async function follow(visit: Visit, answer: Promise<Answer>, mayRetry: boolean): Promise<unknown> {
  const { request, reply, client, scope } = visit;
  const view = { signal: client, waiters: 1 };
  scope.seats.set(request, { kind: 'waiting', view });
  let given: Answer;
  try {
    given = await answer;
  } catch (error) {
    if (client.aborted) return undefined;
    throw answerError(error);
  }
  if (given.kind === 'shared' && answers(given, request)) {
    scope.seats.set(request, { kind: 'answered', view, answer: given });
    fillReply(reply, given);
    if (scope.header) reply.header('x-coalesced', '1');
    // Fastify sends `undefined`, past its serialiser and past hooks that transform; the last hook puts in the body.
    return undefined;
  }
  // Its `Vary` is now part of the key: those that are equal in it too share the next run.
  if (given.kind === 'shared' && mayRetry) return replied(enter(visit, false), reply);
  scope.seats.set(request, { kind: 'alone', view });
  return replied(visit.run(), reply);
}

/** What an async function gives for the handler it ran: `undefined` of a callback's handler must not be sent. */
function replied(result: unknown, reply: FastifyReply): unknown {
  return result === undefined ? reply : result;
}

function isThenable(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
