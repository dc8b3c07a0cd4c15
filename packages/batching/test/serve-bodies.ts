import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { onTestFinished } from 'vitest';
import type { SharedBodies } from '../src/http/index.ts';

/** A server that answers every path with the body of `bodyOf`. */
export type ServeBodies = (
  bodies: SharedBodies,
  bodyOf: (path: string) => Uint8Array,
) => Promise<string>;

const TYPE = 'application/json; charset=utf-8';

async function listen(listener: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createHttpServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The servers that serve shared bodies, each as its users write it. */
export const servers: Readonly<Record<string, ServeBodies>> = {
  'node:http': (bodies, bodyOf) =>
    listen((request, response) => {
      response.setHeader('content-type', TYPE);
      void bodies.send({ request, response }, bodyOf(request.url ?? ''));
    }),
  Express(bodies, bodyOf) {
    const app = express();
    app.get('/*path', (request, response) => {
      response.setHeader('content-type', TYPE);
      void bodies.send({ request, response }, bodyOf(request.url ?? ''));
    });
    return listen(app);
  },
  async Fastify(bodies, bodyOf) {
    const app = fastify();
    app.get('/*', async (request, reply) => {
      reply.type(TYPE);
      const { status, headers, body } = await bodies.answer(request, {
        body: bodyOf(request.url),
        headers: reply.getHeaders(),
      });
      return reply.code(status).headers(headers).send(body);
    });
    onTestFinished(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
};
