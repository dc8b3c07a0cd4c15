import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onErrorHookHandler,
  onSendHookHandler,
} from 'fastify';
import type { AnswerHeaders } from '../http/routes/header-fields.ts';
import type { CoalescedRequest } from '../http/routes/request-role.ts';
import type { CoalescedRoute } from '../http/routes/route-key.ts';
import type { Answer, SharedAnswer } from '../http/routes/shared-answer.ts';
import { answerOf, restoreReply } from './reply-answer.ts';

/** Part of a request in a coalesced route. */
export type RequestRole =
  | { readonly kind: 'waiting'; readonly view: CoalescedRequest }
  | {
      readonly kind: 'leading';
      readonly view: CoalescedRequest;
      readonly before: AnswerHeaders;
      readonly settle: (answer: Answer) => void;
    }
  | { readonly kind: 'answered'; readonly view: CoalescedRequest; readonly answer: SharedAnswer }
  | { readonly kind: 'alone'; readonly view: CoalescedRequest };

/** Roles of the requests of one plugin. */
export interface RequestRoles {
  get(request: FastifyRequest): RequestRole | undefined;
  set(request: FastifyRequest, role: RequestRole): void;
}

/** Declares the member of requests that has their role: a `WeakMap` of short-lived requests costs the collector more. */
export function createRequestRoles(app: FastifyInstance): RequestRoles {
  const member = Symbol('ticketing.role');
  app.decorateRequest(member, undefined);
  type WithRole = FastifyRequest & { [member]?: RequestRole };
  return {
    get: (request: WithRole) => request[member],
    set(request: WithRole, role) {
      request[member] = role;
    },
  };
}

/** Returns the value of `request.coalesced`. @throws TypeError before the handler, and on a route that is not coalesced */
export function viewOf(roles: RequestRoles, request: FastifyRequest): CoalescedRequest {
  const role = roles.get(request);
  if (role !== undefined) return role.view;
  const missed = missedRouteError(request);
  if (missed !== undefined) throw missed;
  const { method, url, routeOptions } = request;
  const why = routeOptions.config?.coalesce
    ? 'only the handler and the hooks after it have it'
    : 'the route has no `config.coalesce`';
  throw new TypeError(`Cannot read \`request.coalesced\` of ${method} ${url}: ${why}`);
}

/** Marks the `config` of routes that are coalesced. Fastify copies it, with symbols. */
const coalesced = Symbol('ticketing.coalesced');

/** Returns the `config` of a route that is coalesced. */
export function markCoalesced(config: FastifyContextConfig | undefined): FastifyContextConfig {
  return { ...config, [coalesced]: true } as FastifyContextConfig;
}

/** Returns the error of a route with `config.coalesce` that was added before the plugin ran, so that it is not coalesced. */
export function missedRouteError({ method, routeOptions }: FastifyRequest): Error | undefined {
  const { config, url } = routeOptions;
  if (!config?.coalesce || coalesced in config) return undefined;
  return new TypeError(
    `Cannot coalesce ${method} ${url}: the route was added before the plugin ran; \`await app.register(coalesceRoutes)\` before the routes`,
  );
}

/** The last `onSend` hook of a route: its payload is sent. The leader's client may have left. */
export function sendHook(roles: RequestRoles, route: CoalescedRoute): onSendHookHandler {
  return (request, reply, payload, done) => {
    const role = roles.get(request);
    if (role?.kind === 'leading') {
      role.settle(answerOf(reply, payload, { route, before: role.before }));
    } else if (role?.kind === 'answered') {
      restoreReply(reply, role.answer);
      return done(null, role.answer.payload);
    }
    done(null, payload);
  };
}

/** Gives a client whose own hook fails that error instead of the shared answer. */
export function errorHook(roles: RequestRoles): onErrorHookHandler {
  return (request, _reply, _error, done) => {
    const role = roles.get(request);
    if (role?.kind === 'answered') roles.set(request, { kind: 'alone', view: role.view });
    done();
  };
}

/**
 * Watches a leader's reply: calls `refuse` for what bypasses the route's `onSend`.
 *
 * @returns whether the handler awaits its own reply. Then it will send, although its promise ends when the client leaves
 */
export function watchReply(reply: FastifyReply, refuse: () => void): () => boolean {
  let awaited = false;
  for (const method of ['hijack', 'callNotFound', 'trailer'] as const) {
    const original = reply[method] as (...args: unknown[]) => FastifyReply;
    Object.assign(reply, {
      [method](...args: unknown[]) {
        refuse();
        return original.apply(reply, args);
      },
    });
  }
  const { then } = reply;
  Object.assign(reply, {
    // biome-ignore lint/suspicious/noThenProperty: a reply is a thenable, and only its `then` shows that it is awaited
    then(...args: Parameters<FastifyReply['then']>) {
      awaited = true;
      return then.apply(reply, args);
    },
  });
  const { raw } = reply;
  const end = raw.end as (...args: unknown[]) => FastifyReply['raw'];
  Object.assign(raw, {
    // Before the answer is known, the handler writes past Fastify. The event `finish` would not do: HTTP/2 emits it also
    // when the client resets its stream, and it is not emitted for a client that has left before.
    end(...args: unknown[]) {
      refuse();
      return end.apply(raw, args);
    },
  });
  return () => awaited;
}
