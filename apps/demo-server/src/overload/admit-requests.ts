import type { Socket } from 'node:net';
import { arrivedAt as arrivedAtRouter } from '@ticketing/socket-router/worker';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../compose.ts';
import type { Refusal } from './admission.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether this route is answered however busy the server is: only one whose work no client can make more, by what it
     * sends or by how often. Default `false`.
     */
    always?: boolean;
    /** Returns the key by which requests of this route share their work; `undefined` for one that shares nothing. */
    keyOf?: (request: FastifyRequest) => string | undefined;
  }
  interface FastifyRequest {
    /** The earliest time at which its head can have arrived, on the clock of `performance.now()`. */
    arrivedAt: number;
    /** That of its route, read once: `routeOptions` is a new object each time. */
    routeConfig: FastifyContextConfig | null;
  }
}

/** A head that is read within this time after its connection was accepted, in milliseconds, had arrived by then. */
const TOGETHER_MS = 20;
const RETRY_AFTER_S = '1';

const details: Readonly<Record<Refusal, string>> = {
  busy: 'More requests are waiting than can be answered in time',
  late: 'The request waited so long that it could not be answered in time',
};

/**
 * Lets each request wait for its admission before any work is done, and answers 503 to those that are refused. Only routes with
 * `config.always` do not wait.
 */
export function admitRequests(
  app: FastifyInstance,
  { parts, draining }: { readonly parts: Parts; readonly draining: () => boolean },
): void {
  const { admission, arrivedAt } = parts;
  const connected = new WeakMap<Socket, { readonly at: number; readonly arrivedAt: number }>();
  app.server.on('connection', (socket: Socket) => {
    admission.connected();
    connected.set(socket, { at: performance.now(), arrivedAt: arrivedAt() });
  });
  app.decorateRequest('arrivedAt', 0);
  app.decorateRequest('routeConfig', null);
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const connection = connected.get(socket);
    connected.delete(socket);
    const isFirst = connection && performance.now() - connection.at < TOGETHER_MS;
    const readAt = isFirst ? connection.arrivedAt : arrivedAt();
    request.arrivedAt = Math.min(readAt, arrivedAtRouter(request.raw) ?? readAt);
    const { config } = request.routeOptions;
    request.routeConfig = config;
    const { always, keyOf } = config;
    if (always === true) {
      done();
      return;
    }
    const withdraw = admission.apply({
      arrivedAt: request.arrivedAt,
      key: keyOf?.(request),
      begin: done,
      refuse: (reason) => refuse(request, reply, { reason, isLast: draining() }),
    });
    reply.raw.once('close', withdraw);
  });
}

/** Writes the answer without Fastify, whose reply takes as long as a small handler. */
function refuse(
  { url }: FastifyRequest,
  reply: FastifyReply,
  { reason, isLast }: { readonly reason: Refusal; readonly isLast: boolean },
): void {
  const [path = ''] = url.split('?', 1);
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
