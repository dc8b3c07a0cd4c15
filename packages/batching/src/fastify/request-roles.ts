import type { FastifyReply, FastifyRequest, onErrorHookHandler, onSendHookHandler } from 'fastify';
import {
  type Answer,
  type HeadersBefore,
  readAnswer,
  restoreReply,
  type SharedAnswer,
} from './answer.ts';
import type { CoalescedRoute } from './coalesced-route.ts';

/** What a request of a coalesced route is doing. */
export type RequestRole =
  | { readonly kind: 'waiting'; readonly view: CoalescedRequest }
  | {
      readonly kind: 'leading';
      readonly view: CoalescedRequest;
      readonly before: HeadersBefore;
      readonly settle: (answer: Answer) => void;
    }
  | { readonly kind: 'answered'; readonly view: CoalescedRequest; readonly answer: SharedAnswer }
  | { readonly kind: 'alone'; readonly view: CoalescedRequest };

/** The requests that the plugin holds; they go with the requests themselves. */
export type RequestRoles = WeakMap<FastifyRequest, RequestRole>;

/** What `request.coalesced` gives. @throws TypeError before the handler, and on a route that does not take part */
export function viewOf(roles: RequestRoles, request: FastifyRequest): CoalescedRequest {
  const role = roles.get(request);
  if (role !== undefined) return role.view;
  const { method, url } = request;
  throw new TypeError(
    `Cannot read request.coalesced: the handler of a route with config.coalesce expected, got ${method} ${url}`,
  );
}

/** Stands last among a route's hooks: here the payload is what is sent, and the leader may be gone. */
export function sendHook(roles: RequestRoles, route: CoalescedRoute): onSendHookHandler {
  return (request, reply, payload, done) => {
    const role = roles.get(request);
    if (role?.kind === 'leading') {
      role.settle(readAnswer(reply, payload, route, role.before));
    } else if (role?.kind === 'answered') {
      restoreReply(reply, role.answer);
      return done(null, role.answer.payload);
    }
    done(null, payload);
  };
}

/** A hook of a client failed while it was given the answer: it gets that error, not the answer's body. */
export function errorHook(roles: RequestRoles): onErrorHookHandler {
  return (request, _reply, _error, done) => {
    const role = roles.get(request);
    if (role?.kind === 'answered') roles.set(request, { kind: 'alone', view: role.view });
    done();
  };
}

/**
 * Watches a leader's reply for what bypasses its route's `onSend`, and for `await reply`.
 *
 * @returns whether the handler waits for its own reply: then it will send, though its promise ends when the client leaves
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
    // biome-ignore lint/suspicious/noThenProperty: a reply is a thenable, and only its `then` tells who awaits it
    then(...args: Parameters<FastifyReply['then']>) {
      awaited = true;
      return then.apply(reply, args);
    },
  });
  const { raw } = reply;
  const end = raw.end as (...args: unknown[]) => FastifyReply['raw'];
  Object.assign(raw, {
    // Before the answer is known this is a handler that writes past Fastify. Not by the event `finish`: HTTP/2 emits
    // it as well when the client resets its stream, and nothing emits it for a client that has left before.
    end(...args: unknown[]) {
      refuse();
      return end.apply(raw, args);
    },
  });
  return () => awaited;
}

/** What a handler of a coalesced route learns of those it works for, as `request.coalesced`. */
export interface CoalescedRequest {
  /** Aborts when the last client that waits has left, at `loadTimeoutMs`, and when the app has closed. */
  readonly signal: AbortSignal;
  /** Clients that wait now, this request's own included. */
  readonly waiters: number;
}
