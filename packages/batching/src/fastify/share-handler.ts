import type { Http2ServerResponse } from 'node:http2';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { Coalescer, LoadContext } from '../coalescer/coalescer.ts';
import { createJoinableCoalescer } from '../coalescer/create-coalescer.ts';
import { BatchingError, callError } from '../errors.ts';
import type { WaitingCall } from '../waiting-call.ts';
import { type Answer, answers, fillReply, type HeadersBefore } from './answer.ts';
import type { ResolvedCoalesceRoutesOptions } from './coalesce-routes-options.ts';
import { type CoalescedRoute, requestKey } from './request-key.ts';
import { type CoalescedRequest, type RequestRoles, watchReply } from './request-roles.ts';

/** Of 503: seconds that a client should wait. */
const retryHeaders = { 'retry-after': '1' };

/** What the routes of one plugin share. */
export interface RouteScope {
  readonly name: string;
  /** Whether a shared answer has `x-coalesced`. */
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
    const client = new Client(reply, scope.name);
    const run = (): unknown => handler.call(this, request, reply);
    return enter({ request, reply, client, run, route, scope }, true);
  };
}

/** Leads or follows. What it returns or throws goes to Fastify, as if the handler had. */
function enter(routed: RoutedRequest, mayRetry: boolean): unknown {
  const { request, client, route, scope } = routed;
  const { answer, sharedRun } = scope.sharedRuns.enter(requestKey(request, route), client);
  return sharedRun ? lead(routed, sharedRun, answer) : follow(routed, answer, mayRetry);
}

function lead(
  routed: RoutedRequest,
  { context, settle }: SharedRun,
  answer: Promise<Answer>,
): unknown {
  const { request, reply, client, scope } = routed;
  const before = reply.getHeaders() as HeadersBefore;
  scope.roles.set(request, { kind: 'leading', view: context, before, settle });
  const refuse = (): void => settle({ kind: 'unshared' });
  const isAwaited = watchReply(reply, refuse);
  answer.catch(() => {}); // It may reject before anything below listens: the handler may throw.
  const result = routed.run();
  if (!isThenable(result)) {
    answer.catch((error) => {
      if (!client.hasLeft && !reply.sent) reply.send(answerError(error));
    });
    return result;
  }
  return new Promise((resolve, reject) => {
    answer.catch((error) => {
      if (!client.hasLeft) reject(answerError(error));
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
    throw answerError(error);
  }
  if (shared.kind === 'shared' && answers(shared, request)) {
    scope.roles.set(request, { kind: 'answered', view: client, answer: shared });
    fillReply(reply, shared);
    if (scope.header) reply.header('x-coalesced', '1');
    // Fastify sends `undefined`, past its serialiser and past hooks that transform; the last hook puts in the body.
    return undefined;
  }
  // Its `Vary` is now part of the key: requests that are equal in that too share the next run.
  if (shared.kind === 'shared' && mayRetry) return replied(enter(routed, false), reply);
  scope.roles.set(request, { kind: 'alone', view: client });
  return replied(routed.run(), reply);
}

/** Returns what an async function returns for the handler it ran: `undefined` of a handler with callbacks must not be sent. */
function replied(result: unknown, reply: FastifyReply): unknown {
  return result === undefined ? reply : result;
}

function isThenable(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/**
 * Makes a new error of a failure of the coalescer, which Fastify answers by its `statusCode` and `headers`: several requests may
 * have met the same one. With 503 the client is asked to wait.
 */
function answerError(error: unknown): unknown {
  if (!BatchingError.is(error)) return error;
  const { code, message, data, statusCode } = error;
  const refused = new BatchingError(code, message, { data, cause: error });
  return statusCode === 503 ? Object.assign(refused, { headers: retryHeaders }) : refused;
}

/** The client of one request, which may leave before its answer has been written; also `request.coalesced` of a request that waits. */
class Client implements CoalescedRequest {
  readonly waiters = 1;
  hasLeft = false;
  /** Its call in flight. */
  call: WaitingCall<Answer> | undefined;
  readonly #name: string;
  #controller: AbortController | undefined;

  constructor({ raw }: FastifyReply, name: string) {
    this.#name = name;
    // 'close' comes once, and it may have come while the hooks before the handler ran. A session outlives its streams.
    const { stream = raw } = raw as { readonly stream?: Http2ServerResponse['stream'] };
    if (stream.destroyed || raw.socket?.destroyed) this.hasLeft = true;
    else {
      raw.once('close', () => {
        if (!raw.writableEnded) this.#leave();
      });
    }
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.hasLeft) this.#controller.abort(this.#leftError());
    return this.#controller.signal;
  }

  #leave(): void {
    this.hasLeft = true;
    const error = this.#leftError();
    this.call?.aborted(error);
    this.#controller?.abort(error);
  }

  #leftError(): Error {
    const message = `Call of \`${this.#name}\` was aborted: the client left`;
    return callError(this.#name, 'ERR_ABORTED', message);
  }
}

/** A run of a handler, for the request that leads it. */
interface SharedRun {
  readonly context: LoadContext<string>;
  /** Answers all that wait. The first call counts. */
  settle(answer: Answer): void;
}

interface Entry {
  /** Rejects if the client leaves, at the load timeout, above a bound, and after the close. */
  readonly answer: Promise<Answer>;
  /** Present if this request leads: it must run the handler. */
  readonly sharedRun: SharedRun | undefined;
}

/** The runs of handlers in flight, by key. */
interface SharedRuns extends Pick<Coalescer<string, Answer>, 'stats' | 'close'> {
  enter(key: string, client: Client): Entry;
}

/**
 * Creates the shared runs of a plugin. The loader only records the run: the handler runs in the async context of its
 * own request, and Fastify gets what it returns or throws.
 */
export function createSharedRuns(options: ResolvedCoalesceRoutesOptions['coalescer']): SharedRuns {
  const opened: SharedRun[] = [];
  const coalescer = createJoinableCoalescer<string, Answer>(
    (_key, context) =>
      new Promise((settle, reject) => {
        opened.push({ context, settle });
        // `close()` aborts only the signal, which a handler may ignore: those that wait must be rejected here.
        const { signal } = context;
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    { ...options, context: 'caller' },
  );
  return {
    enter(key, client) {
      if (client.hasLeft)
        return { answer: coalescer.get(key, { signal: client.signal }), sharedRun: undefined };
      try {
        client.call = coalescer.join(key);
      } catch (error) {
        return { answer: Promise.reject(error), sharedRun: undefined };
      }
      // The loader is called inside the call of `join`, or not at all.
      return { answer: client.call.promise, sharedRun: opened.pop() };
    },
    stats: () => coalescer.stats(),
    close: () => coalescer.close(),
  };
}
