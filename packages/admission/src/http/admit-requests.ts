import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import {
  aFunction,
  type Rule,
  type Rules,
  required,
  resolveByRules,
  withMethods,
  wrongOption,
} from '@ticketing/kit';
import type { Admission } from '../admission.ts';
import type { Refusal } from '../applicant-queue.ts';
import { watchArrivals } from './request-arrivals.ts';
import { sendRefusal } from './send-refusal.ts';
import { watchClients } from './watch-clients.ts';

export interface AdmitRequestsOptions {
  readonly admission: Admission;
  /**
   * Returns whether a request is answered however busy the server is: only one whose work no client can make more, by its content
   * or by its rate. Default: none.
   */
  readonly isExempt?: (request: IncomingMessage) => boolean;
  /** Returns the key by which requests share their work; `undefined` for a request that shares nothing. Default: none does. */
  readonly keyOf?: (request: IncomingMessage) => string | undefined;
  /**
   * Returns an earlier time at which a request arrived, on the clock of `performance.now()`: one that another process measured.
   * Default: none is known.
   */
  readonly arrivedAt?: (request: IncomingMessage) => number | undefined;
  /** Answers a request that is refused. Default: 503 with `Retry-After: 1` and a problem document. */
  readonly refuse?: (response: ServerResponse, reason: Refusal) => void;
}

const rules = {
  admission: required(withMethods('apply', 'connected', 'arrivedAt')),
  isExempt: { ...aFunction, fallback: () => false },
  keyOf: { ...aFunction, fallback: () => undefined },
  arrivedAt: { ...aFunction, fallback: () => undefined },
  refuse: { ...aFunction, fallback: sendRefusal },
} satisfies Rules;

const aServer: Rule = {
  expected: 'a server of node:http',
  // An app of Express has its other methods.
  test: (value) => withMethods('emit', 'on', 'closeIdleConnections').test(value),
};

const ADMITTED: unique symbol = Symbol.for('ticketing.admission.admitted');

type Emit = (event: string | symbol, ...values: unknown[]) => boolean;

/**
 * Has each request of an HTTP/1 server wait for its admission before a listener gets it: listeners of Express, Koa, Hono, and of
 * `createServer`. A refused one is answered 503, and one whose client leaves while it waits never begins. Upgrades do not wait.
 * Call it once per server, at any time before its first request.
 *
 * @throws TypeError for options that are wrong, for anything but a server, and for a second call
 * @example
 * const server = createServer(app);
 * admitRequests(server, { admission: createAdmission({ deadlineMs: 2000 }) });
 */
export function admitRequests(server: Server | SecureServer, options: AdmitRequestsOptions): void {
  if (!aServer.test(server)) throw wrongOption('admit requests', 'server', aServer, server);
  const resolved = resolveByRules<Required<AdmitRequestsOptions>>('admit requests', options, rules);
  const admitted = server as Server & { [ADMITTED]?: true };
  if (admitted[ADMITTED]) {
    throw new TypeError(
      'Cannot admit requests: the requests of this server wait for an admission already',
    );
  }
  admitted[ADMITTED] = true;
  const { admission, isExempt, keyOf, arrivedAt, refuse } = resolved;
  const arrivalOf = watchArrivals(server, admission);
  const whenOver = watchClients();
  const emit = server.emit as Emit;
  // A listener instead would leave out listeners that are added later, and change what the server does without listeners.
  server.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    if (event !== 'request' && event !== 'checkContinue') {
      return emit.call(server, event, ...values);
    }
    const [request, response] = values as [IncomingMessage, ServerResponse];
    const readAt = arrivalOf(request);
    if (isExempt(request)) return emit.call(server, event, ...values);
    // It begins in a turn of the event loop that another request may have asked for.
    const context = new AsyncResource('TicketingAdmission');
    const withdraw = admission.apply({
      arrivedAt: Math.min(readAt, arrivedAt(request) ?? readAt),
      key: keyOf(request),
      begin: () => void context.runInAsyncScope(emit, server, event, ...values),
      refuse: (reason) => refuse(response, reason),
    });
    whenOver(response, withdraw);
    return true;
  };
}
