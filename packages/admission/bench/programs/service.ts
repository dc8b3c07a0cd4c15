// A service that does one kind of work, by one framework, with one guard against overload. Reports its port.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { type FastifyInstance, fastify } from 'fastify';
import toobusy from 'toobusy-js';
import { Agent, request } from 'undici';
import { admitRoutes } from '../../src/fastify/index.ts';
import { admitRequests } from '../../src/http/index.ts';
import { createAdmission, createUpstreamSign } from '../../src/index.ts';

/** Plain data, the argument of the program. */
export interface ServiceOrder {
  readonly framework: keyof typeof frameworks;
  readonly guard: 'admission' | 'library' | 'none';
  readonly work: keyof typeof works;
  readonly upstreamPort: number;
  readonly deadlineMs: number;
}

const COMPUTE_MS = 5;
const order: ServiceOrder = JSON.parse(process.argv[2] ?? '');
const { guard, deadlineMs } = order;
const upstream = createUpstreamSign(deadlineMs);
const agent = new Agent({ connections: null, pipelining: 1 });

/** Resolves when the answer can be given, to its status. */
const works = {
  computing(): Promise<number> {
    const end = performance.now() + COMPUTE_MS;
    while (performance.now() < end);
    return Promise.resolve(200);
  },
  async waiting(): Promise<number> {
    const askedAt = performance.now();
    const url = `http://127.0.0.1:${order.upstreamPort}`;
    const signal = AbortSignal.timeout(deadlineMs);
    const status = await request(url, { dispatcher: agent, signal }).then(
      async ({ statusCode, body }) => {
        await body.dump();
        return statusCode;
      },
      () => 504,
    );
    upstream.note('upstream', performance.now() - askedAt);
    return status;
  },
};

const admission =
  guard === 'admission'
    ? createAdmission({ deadlineMs, signs: () => ({ upstreamLate: upstream.read() }) })
    : undefined;
const work = works[order.work];
const respond: RequestListener = async (_request, response) => {
  response.statusCode = await work();
  response.end('done');
};

const frameworks = {
  async fastify(): Promise<Server> {
    const app: FastifyInstance = fastify();
    if (admission) await app.register(admitRoutes, { admission });
    if (guard === 'library') {
      const { default: underPressure } = await import('@fastify/under-pressure');
      await app.register(underPressure, { maxEventLoopDelay: 100, sampleInterval: 100 });
    }
    app.get('/', async (_request, reply) => reply.code(await work()).send('done'));
    await app.ready();
    return app.server;
  },
  async express(): Promise<Server> {
    const app = express();
    if (guard === 'library') {
      app.use((_request, response, next) => {
        if (toobusy()) response.writeHead(503).end();
        else next();
      });
    }
    app.use(respond);
    return admitted(createServer(app));
  },
  async http(): Promise<Server> {
    const isBusy = guard === 'library' ? toobusy : () => false;
    return admitted(
      createServer((request, response) => {
        if (isBusy()) response.writeHead(503).end();
        else respond(request, response);
      }),
    );
  },
};

function admitted(server: Server): Server {
  if (admission) admitRequests(server, { admission });
  return server;
}

const server = await frameworks[order.framework]();
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.send?.((server.address() as AddressInfo).port),
);
process.once('disconnect', () => process.exit());
