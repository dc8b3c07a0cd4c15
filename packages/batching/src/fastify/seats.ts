import type { FastifyReply, FastifyRequest, onErrorHookHandler, onSendHookHandler } from 'fastify';
import {
  type Answer,
  type HeadersBefore,
  readAnswer,
  restoreReply,
  type SharedAnswer,
} from './answer.ts';
import type { CoalescedRequest } from './coalesced-request.ts';
import type { CoalescedRoute } from './coalesced-route.ts';

/** What a request of a coalesced route is doing. */
export type Seat =
  | { readonly kind: 'waiting'; readonly view: CoalescedRequest }
  | {
      readonly kind: 'leading';
      readonly view: CoalescedRequest;
      readonly before: HeadersBefore;
      readonly land: (answer: Answer) => void;
    }
  | { readonly kind: 'answered'; readonly view: CoalescedRequest; readonly answer: SharedAnswer }
  | { readonly kind: 'alone'; readonly view: CoalescedRequest };

/** The requests that the plugin holds; they go with the requests themselves. */
export type Seats = WeakMap<FastifyRequest, Seat>;

/** What `request.coalesced` gives. @throws TypeError before the handler, and on a route that does not take part */
export function viewOf(seats: Seats, request: FastifyRequest): CoalescedRequest {
  const seat = seats.get(request);
  if (seat !== undefined) return seat.view;
  const { method, url } = request;
  throw new TypeError(
    `Cannot read request.coalesced: the handler of a route with config.coalesce expected, got ${method} ${url}`,
  );
}

/** Stands last among a route's hooks: here the payload is what is sent, and the leader may be gone. */
export function sendHook(seats: Seats, route: CoalescedRoute): onSendHookHandler {
  return (request, reply, payload, done) => {
    const seat = seats.get(request);
    if (seat?.kind === 'leading') {
      seat.land(readAnswer(reply, payload, route, seat.before));
    } else if (seat?.kind === 'answered') {
      restoreReply(reply, seat.answer);
      return done(null, seat.answer.payload);
    }
    done(null, payload);
  };
}

/** A hook of a client failed while it was given the answer: it gets that error, not the answer's body. */
export function errorHook(seats: Seats): onErrorHookHandler {
  return (request, _reply, _error, done) => {
    const seat = seats.get(request);
    if (seat?.kind === 'answered') seats.set(request, { kind: 'alone', view: seat.view });
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
