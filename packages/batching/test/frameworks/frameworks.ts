// The frameworks, each with a service as its users write it.
import 'reflect-metadata';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type Http2ServerResponse } from 'node:http2';
import type { Server } from 'node:net';
import { Readable } from 'node:stream';
import { createAdaptorServer } from '@hono/node-server';
import { All, Catch, Controller, type INestApplication, Module, Req, Res } from '@nestjs/common';
import { BaseExceptionFilter, HttpAdapterHost, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import express, { type Request } from 'express';
import express4 from 'express-4';
import fastify from 'fastify';
import { type Context, Hono } from 'hono';
import Koa from 'koa';
import { onTestFinished } from 'vitest';
import { coalesceRoutes } from '../../src/fastify/index.ts';
import * as forHono from '../../src/hono/index.ts';
import {
  answerErrors,
  coalescedRequest,
  coalesceRoute,
  type HttpRequest,
  type HttpResponse,
  leavingSignal,
} from '../../src/http/index.ts';
import * as forKoa from '../../src/koa/index.ts';
import { type HandlerAnswer, listen, type Service, type StartService } from './framework.ts';

const exchangeOf = (request: HttpRequest, response: HttpResponse, url = request.url ?? '') => ({
  headers: request.headers,
  url,
  clients: () => coalescedRequest(request),
  leaving: () => leavingSignal(response),
});

/** Sends an answer over `node:http`. */
function send(response: ServerResponse, { status = 200, headers = {}, body }: HandlerAnswer): void {
  const isObject = typeof body === 'object' && !(body instanceof Readable);
  const type = isObject ? { 'content-type': 'application/json' } : {};
  response.writeHead(status, { ...type, ...headers });
  if (body instanceof Readable) body.pipe(response);
  else response.end(isObject ? JSON.stringify(body) : body);
}

const plain =
  (
    create: (listener: (request: HttpRequest, response: HttpResponse) => void) => unknown,
  ): StartService =>
  async ({ handler, options = {}, keyOf, own, answersErrors = true }) => {
    const share = coalesceRoute({
      ...options,
      ...(keyOf && { key: (request: HttpRequest) => keyOf(request.url ?? '') }),
    });
    const server = create((request, response) => {
      const failed = (error: unknown): void => {
        console.error(error);
        (response as ServerResponse).writeHead(500).end(String((error as Error).message));
      };
      const fail = (error: unknown): void =>
        answersErrors ? answerErrors(error, request, response, failed) : failed(error);
      const run = (error?: unknown): void => {
        if (error !== undefined) fail(error);
        else {
          handler(exchangeOf(request, response))
            .then((answer) => send(response as ServerResponse, answer))
            .catch(fail);
        }
      };
      const headers = own?.(request.headers) ?? {};
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      if (request.url?.startsWith('/shared')) share(request, response, run);
      else run();
    });
    return { port: await listen(server as Server), coalescer: share, close: share.close };
  };

const ofExpress =
  (create: typeof express): StartService =>
  async ({ handler, options = {}, keyOf, own, answersErrors = true }) => {
    const app = create();
    app.set('etag', false);
    // With `test`, Express logs no errors.
    app.set('env', 'production');
    const share = coalesceRoute({
      ...options,
      ...(keyOf && { key: ({ originalUrl }: Request) => keyOf(originalUrl) }),
    });
    app.use((request, response, next) => {
      response.set(own?.(request.headers) ?? {});
      next();
    });
    app.use('/shared', share);
    app.use((request, response, next) => {
      handler(exchangeOf(request, response, request.originalUrl))
        .then(({ status = 200, headers = {}, body }) => {
          response.status(status).set(headers);
          if (body instanceof Readable) body.pipe(response);
          else response.send(body);
        })
        .catch(next);
    });
    if (answersErrors) app.use(answerErrors);
    return { port: await listen(createServer(app)), coalescer: share, close: share.close };
  };

const ofKoa: StartService = async ({ handler, options = {}, keyOf, own, answersErrors = true }) => {
  const app = new Koa();
  const share = forKoa.coalesceRoute({
    ...options,
    ...(keyOf && { key: ({ url }: forKoa.KoaContext) => keyOf(url) }),
  });
  if (answersErrors) app.use(forKoa.answerErrors);
  app.use(async (context, next) => {
    context.set(own?.(context.headers) ?? {});
    await next();
  });
  app.use((context, next) => (context.path.startsWith('/shared') ? share(context, next) : next()));
  app.use(async (context) => {
    const { headers, url } = context;
    const {
      status,
      headers: set = {},
      body,
    } = await handler({
      headers,
      url,
      clients: () => forKoa.coalescedRequest(context),
      leaving: () => leavingSignal(context.res),
    });
    context.body = body;
    if (status !== undefined) context.status = status;
    context.set(set);
  });
  return { port: await listen(createServer(app.callback())), coalescer: share, close: share.close };
};

const ofHono: StartService = async ({
  handler,
  options = {},
  keyOf,
  own,
  answersErrors = true,
}) => {
  const app = new Hono();
  const urlOf = ({ req }: { readonly req: { readonly url: string } }): string => {
    const { pathname, search } = new URL(req.url);
    return pathname + search;
  };
  const share = forHono.coalesceRoute({
    ...options,
    ...(keyOf && { key: (context: Context) => keyOf(urlOf(context)) }),
  });
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(own?.(context.req.header()) ?? {}))
      context.header(name, value);
    await next();
  });
  app.use('/shared/*', share);
  app.all('*', async (context) => {
    const {
      status = 200,
      headers = {},
      body,
    } = await handler({
      headers: context.req.header(),
      url: urlOf(context),
      clients: () => forHono.coalescedRequest(context),
      leaving: () => forHono.leavingSignal(context),
    });
    context.status(status as 200);
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    if (body instanceof Readable) return context.body(Readable.toWeb(body) as ReadableStream);
    if (typeof body === 'string') return context.text(body);
    return body === undefined ? context.body(null) : context.json(body);
  });
  if (answersErrors) {
    app.onError((error, context) => {
      const response = forHono.errorResponse(error, context);
      if (response) return response;
      console.error(error);
      return context.text('Internal Server Error', 500);
    });
  }
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  return { port: await listen(server), coalescer: share, close: share.close };
};

type NestReply = ServerResponse & { readonly raw?: ServerResponse };

const ofNest =
  (adapter: () => ExpressAdapter | FastifyAdapter, anyPath: string): StartService =>
  async ({ handler, options = {}, keyOf, own, answersErrors = true }) => {
    const share = coalesceRoute({
      ...options,
      ...(keyOf && {
        key: (request: HttpRequest) => keyOf((request as Request).originalUrl ?? request.url),
      }),
    });
    class Reports {
      async read(request: Request & { readonly raw?: HttpRequest }, reply: NestReply) {
        const {
          status,
          headers = {},
          body,
        } = await handler(
          exchangeOf(request.raw ?? request, reply.raw ?? reply, request.originalUrl),
        );
        // As a controller does, in the way of each platform.
        const native = reply as unknown as {
          status(code: number): unknown;
          header(name: string, value: string): unknown;
        };
        native.status(status ?? 200);
        for (const [name, value] of Object.entries(headers)) native.header(name, value);
        if (body instanceof Readable && reply.raw)
          (reply as never as { send(value: Readable): void }).send(body);
        else if (body instanceof Readable) body.pipe(reply);
        else (reply as never as { send(value: unknown): void }).send(body);
      }
    }
    const method = Object.getOwnPropertyDescriptor(Reports.prototype, 'read');
    Req()(Reports.prototype, 'read', 0);
    Res()(Reports.prototype, 'read', 1);
    All(anyPath)(Reports.prototype, 'read', method as never);
    Controller()(Reports);
    class Failures extends BaseExceptionFilter {
      override catch(error: unknown, host: Parameters<BaseExceptionFilter['catch']>[1]): void {
        const http = host.switchToHttp();
        const request = http.getRequest();
        const response = http.getResponse<NestReply>();
        answerErrors(error, request.raw ?? request, response.raw ?? response, () =>
          super.catch(error, host),
        );
      }
    }
    Catch()(Failures);
    class App {
      configure(consumer: {
        apply(...middleware: unknown[]): { forRoutes(path: string): unknown };
      }): void {
        consumer
          .apply((request: HttpRequest, response: HttpResponse, next: () => void) => {
            const headers = own?.(request.headers) ?? {};
            for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
            next();
          })
          .forRoutes('*path');
        consumer.apply(share).forRoutes('shared{/*path}');
      }
    }
    Module({ controllers: [Reports] })(App);
    const app: INestApplication = await NestFactory.create(App, adapter() as never, {
      logger: ['warn', 'error'],
    });
    if (answersErrors) {
      app.useGlobalFilters(new Failures(app.get(HttpAdapterHost).httpAdapter));
    }
    onTestFinished(() => app.close());
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address();
    return { port, coalescer: share, close: share.close };
  };

const ofFastify: StartService = async ({ handler, options = {}, keyOf, own }) => {
  const {
    key: _none,
    methods,
    shareCredentials,
    ...plugin
  } = options as Service['options'] & {
    key?: never;
  };
  const app = fastify({ forceCloseConnections: true });
  onTestFinished(() => app.close());
  await app.register(coalesceRoutes, plugin as object);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(own?.(request.headers) ?? {});
  });
  const key = keyOf && (({ url }: { readonly url: string }) => keyOf(url));
  for (const url of ['/shared', '/shared/*', '/plain']) {
    const isShared = url.startsWith('/shared');
    const coalesce = isShared && { shareCredentials, ...(key && { key }) };
    for (const method of ['GET', 'POST'] as const) {
      app.route({
        method,
        url,
        config: { coalesce: method === 'GET' && coalesce },
        handler: async (request, reply) => {
          const {
            status = 200,
            headers = {},
            body,
          } = await handler({
            headers: request.headers,
            url: request.url,
            clients: () => request.coalesced,
            leaving: () => leavingSignal(reply.raw),
          });
          reply.code(status).headers(headers);
          return reply.send(body);
        },
      });
    }
  }
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { readonly port: number };
  return { port, coalescer: app.coalesced };
};

/** Frameworks by name. */
export const frameworks: Readonly<Record<string, StartService>> = {
  'node:http': plain((listener) => createServer(listener)),
  'node:http2': plain((listener) =>
    createHttp2Server((request, response: Http2ServerResponse) => listener(request, response)),
  ),
  'Express 5': ofExpress(express),
  'Express 4': ofExpress(express4 as typeof express),
  Koa: ofKoa,
  Hono: ofHono,
  'Nest on Express': ofNest(() => new ExpressAdapter(), '*path'),
  'Nest on Fastify': ofNest(() => new FastifyAdapter({ forceCloseConnections: true }), '*'),
  Fastify: ofFastify,
};
