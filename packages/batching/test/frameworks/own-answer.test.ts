// An answer reaches only clients for whom the handler would have made the same, and what is around the route stays each client's own.
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, request as httpsRequest } from 'node:https';
import type { Server } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { createAdaptorServer } from '@hono/node-server';
import express, { type Request } from 'express';
import express4 from 'express-4';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import Koa from 'koa';
import { expect, test } from 'vitest';
import * as forHono from '../../src/hono/index.ts';
import { type CoalescedRouteMiddleware, coalesceRoute } from '../../src/http/index.ts';
import * as forKoa from '../../src/koa/index.ts';
import { Gate, overHttp1, seen } from '../fastify-client.ts';
import { listen } from './framework.ts';

/** Sends all requests before the handler answers any; resolves with the answers and the number of runs. */
async function ask(
  port: number,
  {
    gate,
    share,
    requests,
  }: {
    readonly gate: Gate;
    readonly share: Pick<CoalescedRouteMiddleware, 'stats'>;
    readonly requests: readonly Record<string, string>[];
  },
) {
  const send = overHttp1(port);
  const calls = requests.map((headers) => send('/', { headers }));
  await seen(() => share.stats().asked === requests.length);
  gate.open();
  return Promise.all(calls.map(({ answer }) => answer));
}

const seenBy: [string, string, readonly [string, string]][] = [
  ['hostname', 'x-forwarded-host', ['a.test', 'b.test']],
  ['protocol', 'x-forwarded-proto', ['http', 'https']],
];
const hostWithPort: (typeof seenBy)[number] = [
  'host',
  'x-forwarded-host',
  ['a.test:1', 'a.test:2'],
];

test.each([
  ...seenBy.map((row) => ['Express 4', ...row] as const),
  ...[...seenBy, hostWithPort].map((row) => ['Express 5', ...row] as const),
])(
  '%s with `trust proxy`: handlers that read `request.%s` answer each tenant',
  async (name, property, header, values) => {
    const app = (name === 'Express 4' ? (express4 as typeof express) : express)();
    app.set('trust proxy', true);
    const gate = new Gate();
    const share = coalesceRoute();
    app.get('/', share, async (request, response) => {
      await gate.pass();
      response.send(String(request[property as keyof Request]));
    });
    const port = await listen(createServer(app));
    const requests = [...values, ...values].map((value) => ({
      host: 'proxy.test',
      [header]: value,
    }));
    const answers = await ask(port, { gate, share, requests });
    const bodies = answers.map(({ body }) => body);
    expect(bodies[0]).not.toBe(bodies[1]);
    expect(bodies.slice(2)).toEqual(bodies.slice(0, 2));
    expect(gate.runs).toBe(2);
  },
);

test.each(['x-forwarded-host', 'x-forwarded-proto'])(
  'Koa with `proxy`: %s splits runs, and without it does not',
  async (header) => {
    for (const proxy of [true, false]) {
      const app = new Koa({ proxy });
      const gate = new Gate();
      const share = forKoa.coalesceRoute();
      app.use(share).use(async (context) => {
        await gate.pass();
        context.body = `${context.protocol}://${context.host}`;
      });
      const port = await listen(createServer(app.callback()));
      const values = header === 'x-forwarded-host' ? ['a.test', 'b.test'] : ['http', 'https'];
      const requests = values.map((value) => ({ host: 'proxy.test', [header]: value }));
      const answers = await ask(port, { gate, share, requests });
      expect(new Set(answers.map(({ body }) => body)).size).toBe(proxy ? 2 : 1);
      expect(gate.runs).toBe(proxy ? 2 : 1);
    }
  },
);

const pem = (name: string): Buffer => readFileSync(new URL(`../tls/${name}.pem`, import.meta.url));

test.each([
  ['with different certificates do not share an answer', {}, 2],
  ['do not share it with a `key` of the route either', { key: () => 'all' }, 2],
  ['share it with `shareCredentials`', { shareCredentials: true }, 1],
])('clients %s', async (_label, options, runs) => {
  const share = coalesceRoute(options);
  const gate = new Gate();
  const server = pem('server');
  const port = await listen(
    createSecureServer(
      { cert: server, key: server, ca: [pem('alice'), pem('bob')], requestCert: true },
      (request, response) =>
        share(request, response, async () => {
          const { subject } = (request.socket as TLSSocket).getPeerCertificate();
          await gate.pass();
          response.end(subject.CN);
        }),
    ),
  );
  const names = ['alice', 'bob', 'alice', 'bob'];
  const answers = names.map(async (name) => {
    const cert = pem(name);
    const response = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
      const tls = { servername: 'server.test', ca: server, cert, key: cert, agent: false };
      httpsRequest({ port, host: '127.0.0.1', ...tls }, resolve)
        .on('error', reject)
        .end();
    });
    return text(response);
  });
  await seen(() => share.stats().asked === 4);
  gate.open();
  const bodies = await Promise.all(answers);
  expect(gate.runs).toBe(runs);
  if (runs === 2) expect(bodies).toEqual(names);
});

test('Express: middleware around the route works on the answer of each client', async () => {
  const app = express();
  const gate = new Gate();
  const share = coalesceRoute();
  app.use((request, response, next) => {
    const end = response.end as (...values: unknown[]) => ServerResponse;
    const wrap = (chunk: unknown): ServerResponse => {
      response.removeHeader('content-length');
      return end.call(response, `${request.headers['x-client']}: ${chunk}`);
    };
    Object.assign(response, { end: wrap });
    next();
  });
  app.get('/', share, async (_request, response) => {
    await gate.pass();
    response.send('shared');
  });
  const requests = ['one', 'two'].map((client) => ({ 'x-client': client }));
  const answers = await ask(await listen(createServer(app)), { gate, share, requests });
  expect(answers.map(({ body }) => body)).toEqual(['one: shared', 'two: shared']);
  expect(gate.runs).toBe(1);
});

test('Hono: `compress` around the route answers each client in its coding, of one run', async () => {
  const app = new Hono();
  const gate = new Gate();
  const share = forHono.coalesceRoute();
  const long = 'shared '.repeat(1000);
  app.use(compress());
  app.get('/', share, async (context) => {
    await gate.pass();
    return context.text(long);
  });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  const port = await listen(server);
  const answers: Promise<Response>[] = ['gzip', 'identity'].map((coding) =>
    fetch(`http://127.0.0.1:${port}/`, { headers: { 'accept-encoding': coding } }),
  );
  await seen(() => share.stats().asked === 2);
  gate.open();
  const [zipped, plain] = await Promise.all(answers);
  expect(zipped?.headers.get('content-encoding')).toBe('gzip');
  expect(plain?.headers.get('content-encoding')).toBeNull();
  expect([await zipped?.text(), await plain?.text()]).toEqual([long, long]);
  expect(gate.runs).toBe(1);
});

test('a handler that each request runs itself has the AsyncLocalStorage of its own request', async () => {
  const storage = new AsyncLocalStorage<string>();
  const gate = new Gate();
  const share = coalesceRoute();
  const port = await listen(
    createServer((request, response) => {
      storage.run(String(request.headers['x-client']), () =>
        share(request, response, async () => {
          if (gate.runs === 0) await gate.pass();
          response.setHeader('set-cookie', 'a=1');
          response.end(storage.getStore());
        }),
      );
    }),
  );
  const clients = ['one', 'two', 'three'];
  const requests = clients.map((client) => ({ 'x-client': client }));
  const answers = await ask(port, { gate, share, requests });
  expect(answers.map(({ body }) => body)).toEqual(clients);
});
