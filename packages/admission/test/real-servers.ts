import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import express4 from 'express-4';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { admitRoutes } from '../src/fastify/index.ts';
import { admitRequests } from '../src/http/index.ts';
import type { Admission } from '../src/index.ts';

/** Work of a server, the same for each framework. */
export interface Work {
  /** Returns the answer to a request. A rejection is answered 500. */
  answer(url: string, body: string): Promise<string>;
  /** Pieces of the answer to `/stream`. */
  pieces(): AsyncIterable<string>;
}

type Create = (work: Work, admission: Admission) => Promise<Server>;

const plain = (create: (work: Work) => Server): Create => {
  return async (work, admission) => {
    const server = create(work);
    admitRequests(server, { admission });
    return server;
  };
};

async function respond(work: Work, request: IncomingMessage, response: ServerResponse) {
  if (request.url === '/stream') {
    // One that has left gets no more.
    await pipeline(Readable.from(work.pieces()), response).catch(() => {});
  } else {
    response.end(await work.answer(request.url ?? '', await text(request)));
  }
}

const ofExpress = (create: typeof express) => (work: Work) => {
  const app = create();
  // Express 4 knows no promises.
  app.use((request, response, next) => void respond(work, request, response).catch(next));
  app.use(((
    _error: unknown,
    _request: IncomingMessage,
    response: ServerResponse,
    _next: unknown,
  ) => {
    response.writeHead(500).end();
  }) as never);
  return createServer(app);
};

/** Servers that we did not write, with an admission each. */
export const realServers: Readonly<Record<string, Create>> = {
  'node:http': plain((work) =>
    createServer((request, response) => {
      respond(work, request, response).catch(() => response.writeHead(500).end());
    }),
  ),
  'Express 4': plain(ofExpress(express4)),
  'Express 5': plain(ofExpress(express)),
  Koa: plain((work) => {
    const app = new Koa();
    app.silent = true;
    app.use(async (context) => {
      context.body =
        context.url === '/stream'
          ? Readable.from(work.pieces())
          : await work.answer(context.url, await text(context.req));
    });
    return createServer(app.callback());
  }),
  Hono: plain((work) => {
    const app = new Hono();
    app.onError((_error, context) => context.body(null, 500));
    app.all('/stream', (context) =>
      context.body(
        Readable.toWeb(
          Readable.from(work.pieces()).map((piece) => Buffer.from(piece)),
        ) as ReadableStream,
      ),
    );
    app.all('*', async (context) => {
      const { pathname } = new URL(context.req.url);
      return context.text(await work.answer(pathname, await context.req.text()));
    });
    return createAdaptorServer({ fetch: app.fetch }) as Server;
  }),
  async Fastify(work, admission) {
    const app = fastify();
    await app.register(admitRoutes, { admission });
    app.addContentTypeParser('*', (_request, body, done) => {
      text(body).then((read) => done(null, read), done);
    });
    app.get('/stream', (_request, reply) => reply.send(Readable.from(work.pieces())));
    app.all('*', async ({ url, body }) => work.answer(url, (body as string | undefined) ?? ''));
    await app.ready();
    return app.server;
  },
};
