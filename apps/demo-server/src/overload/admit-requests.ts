import type { Socket } from 'node:net';
import { arrivedAt as arrivedAtRouter } from '@ticketing/socket-router';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../compose.ts';
import type { Refusal } from './admission.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether requests of this route are answered however busy the server is. Default `false`. */
    always?: boolean;
    /** By what requests of this route share their work; none for one that shares nothing. */
    keyOf?: (request: FastifyRequest) => string | undefined;
  }
  interface FastifyRequest {
    /** When its head came, at the earliest, on the clock of `performance.now()`. */
    arrivedAt: number;
  }
}

/** A head that comes so soon after its connection, in milliseconds, had come when the connection was accepted. */
const TOGETHER_MS = 20;
const RETRY_AFTER_S = '1';

const details: Readonly<Record<Refusal, string>> = {
  busy: 'More requests are waiting than can be answered in time',
  late: 'The request waited so long that it could not be answered in time',
};

/**
 * Has each request wait for its admission before anything is done for it, and refuses with 503 those that get none. Not so the routes
 * with `config.always`, and paths that are no route.
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
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const connection = connected.get(socket);
    connected.delete(socket);
    const isFirst = connection && performance.now() - connection.at < TOGETHER_MS;
    const readAt = isFirst ? connection.arrivedAt : arrivedAt();
    request.arrivedAt = Math.min(readAt, arrivedAtRouter(request.raw) ?? readAt);
    const { always, keyOf } = request.routeOptions.config;
    if (always === true || request.is404) {
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

/** Writes the answer past Fastify, whose own way takes as long as a small handler. */
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
      'retry-after': RETRY_AFTER_S,
      'server-timing': `total;dur=${reply.elapsedTime.toFixed(1)}`,
      'x-worker': process.pid,
      ...(isLast && { connection: 'close' }),
    })
    .end(body);
}
