import type { Admission, Refusal } from '@ticketing/admission';
import { admitRoutes } from '@ticketing/admission/fastify';
import { arrivedAt } from '@ticketing/socket-router/worker';
import type { FastifyContextConfig, FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Configuration of the route, read once: `routeOptions` is a new object each time. */
    routeConfig: FastifyContextConfig | null;
  }
}

/** Returns a function that gives the milliseconds that a request has left, from 1. */
export function timeLeft(deadlineMs: number): (request: { readonly arrivedAt: number }) => number {
  return ({ arrivedAt: at }) => Math.max(1, Math.ceil(at + deadlineMs - performance.now()));
}

const RETRY_AFTER_S = '1';

const details: Readonly<Record<Refusal, string>> = {
  busy: 'More requests are waiting than can be answered in time',
  late: 'The request waited so long that it could not be answered in time',
};

/** Lets each request wait for its admission before any work is done, and answers a refused one with 503. */
export async function admit(
  app: FastifyInstance,
  { admission, draining }: { readonly admission: Admission; readonly draining: () => boolean },
): Promise<void> {
  app.decorateRequest('routeConfig', null);
  app.addHook('onRequest', (request, _reply, done) => {
    request.routeConfig = request.routeOptions.config;
    done();
  });
  await app.register(admitRoutes, {
    admission,
    arrivedAt: ({ raw }) => arrivedAt(raw),
    refuse: (reply, reason) => refuse(reply, { reason, isLast: draining() }),
  });
}

/** Writes the answer without Fastify, whose reply takes as long as a small handler. */
function refuse(
  reply: FastifyReply,
  { reason, isLast }: { readonly reason: Refusal; readonly isLast: boolean },
): void {
  const [path = ''] = reply.request.url.split('?', 1);
  const body = JSON.stringify({
    type: 'urn:ticketing:problem:too-busy',
    title: 'Too busy',
    status: 503,
    instance: path.slice(0, 200),
    detail: details[reason],
    code: reason === 'late' ? 'ERR_EXPIRED' : 'ERR_OVERLOADED',
  });
  reply.hijack();
  reply.raw
    .writeHead(503, {
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'retry-after': RETRY_AFTER_S,
      'server-timing': `total;dur=${reply.elapsedTime.toFixed(1)}`,
      'x-worker': process.pid,
      ...(isLast && { connection: 'close' }),
    })
    .end(body);
}
