import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { nearest } from '@ticketing/kit';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { DOCS, ProblemError, type ProblemStatus, problemBody } from '../problem/problem.ts';
import { prefersPage } from './preferred-type.ts';

/** Milliseconds that a client gets to read why its connection is closed. */
const LINGER_MS = 1000;
const problemType = 'application/problem+json';
const problemHeaders = {
  'content-type': problemType,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** Rules of HTTP that routes cannot enforce. */
export interface HttpRules {
  /** Answers bytes that are no request, and requests that are too large or too slow. */
  clientErrorHandler(error: { readonly code?: string }, socket: Socket): void;
  /**
   * Refuses requests without exactly one Host, with a method that the path does not take, with an unknown path, or with an
   * unknown expectation; lists the methods that a path takes. The answers are problem+json, as in the OpenAPI document, but for a
   * browser that opens an unknown path: that goes on to the handler for such. Call it before the routes are registered.
   */
  apply(app: FastifyInstance): void;
  /** Makes the problem of a path that no route has, with the one that was perhaps meant. */
  notFound(request: FastifyRequest): ProblemError;
}

/** Creates the rules for one server. */
export function createHttpRules({ requestTimeoutMs }: { requestTimeoutMs: number }): HttpRules {
  const routes: Routes = new Map();
  /** The newest answer on each connection. */
  const newest = new WeakMap<Socket, ServerResponse>();
  return {
    clientErrorHandler({ code = '' }, socket) {
      const response = newest.get(socket);
      // The client would take a second answer for that of its next request.
      const isAnswered = response?.headersSent === true && !response.req.complete;
      if (code === 'ECONNRESET' || !socket.writable || isAnswered) {
        socket.destroy();
        return;
      }
      const status = clientErrors[code] ?? 400;
      const detail =
        status === 408
          ? `The request did not arrive within --request-timeout-ms (${requestTimeoutMs} ms)`
          : `A request must be HTTP/1.1 with a head of 16 KiB at most, got ${code}`;
      answerAndClose(socket, status, detail);
    },
    apply(app) {
      app.server.prependListener('request', (request, response) => {
        newest.set(request.socket, response);
      });
      app.server.on('checkExpectation', refuseExpectation);
      app.addHook('onRequest', async ({ raw }) => refuseHost(raw));
      refuseMethods(app, routes);
    },
    notFound: (request) => notFound(request, routes),
  };
}

function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const detail = `Expect must be 100-continue, got ${request.headers.expect?.slice(0, 100)}`;
  const body = JSON.stringify(problemBody(417, { detail }, request.url));
  response.setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(417, { ...problemHeaders, connection: 'close' }).end(body);
}

/** Routes by path, as it was registered. */
type Routes = Map<string, { readonly methods: Set<string>; readonly route: RouteOptions }>;

function refuseMethods(app: FastifyInstance, routes: Routes): void {
  app.addHook('onRoute', (route) => {
    const { url, method } = route;
    const known = routes.get(url) ?? { methods: new Set(['OPTIONS']), route };
    for (const one of [method].flat()) known.methods.add(one);
    routes.set(url, known);
  });
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return undefined;
    const path = pathOf(request);
    const segments = path.split('/', MOST_SEGMENTS);
    const known = [...routes].find(([url]) => isPathOf(url, segments));
    const { method } = request;
    if (known === undefined) {
      if ((method === 'GET' || method === 'HEAD') && prefersPage(request)) return undefined;
      throw notFound(request, routes);
    }
    const allow = [...known[1].methods].sort().join(', ');
    reply.header('allow', allow);
    if (method === 'OPTIONS') return reply.code(204).send(null);
    const detail = `${path.slice(0, 100)} takes ${allow}, got ${method}`;
    throw new ProblemError(405, { detail });
  });
}

/** More than any route has. */
const MOST_SEGMENTS = 20;

/** Returns whether a route's `url` matches: a segment `:name` is any text. */
function isPathOf(url: string, segments: readonly string[]): boolean {
  const expected = url.split('/');
  return (
    segments.length === expected.length &&
    expected.every((one, place) =>
      one.startsWith(':') ? segments[place] !== '' : one === segments[place],
    )
  );
}

function pathOf({ url }: { readonly url: string }): string {
  return url.split('?', 1)[0] ?? '';
}

function notFound(request: FastifyRequest, routes: Routes): ProblemError {
  const path = pathOf(request);
  const segments = path.split('/', MOST_SEGMENTS);
  const names = new Map(
    [...routes].flatMap(([url, { route }]) => {
      const { summary } = Object(route.schema);
      return summary === undefined ? [] : [[filled(url, segments), String(summary)] as const];
    }),
  );
  const near = nearest(path, [...names.keys()]);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return new ProblemError(404, {
    detail: `No route ${request.method} ${request.url.slice(0, 100)}${hint}`,
    ...(near !== undefined && { nearest: [{ id: near, name: names.get(near) ?? near }] }),
    see: DOCS,
  });
}

/** A route's `url` with the path's own text for each segment `:name`. */
function filled(url: string, segments: readonly string[]): string {
  return url
    .split('/')
    .map((one, place) => (one.startsWith(':') ? (segments[place] ?? one) : one))
    .join('/');
}

function refuseHost({ httpVersionMinor, rawHeaders }: IncomingMessage): void {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'host') hosts++;
  }
  if (hosts === 1 || (hosts === 0 && httpVersionMinor === 0)) return;
  const detail = `A request must have one Host header, got ${hosts === 0 ? 'none' : hosts}`;
  throw new ProblemError(400, { detail });
}

const clientErrors: Readonly<Record<string, ProblemStatus>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

function answerAndClose(socket: Socket, status: ProblemStatus, detail: string): void {
  const problem = problemBody(status, { detail });
  const body = JSON.stringify(problem);
  // Closing with unread bytes resets the connection, and the client may not see the answer.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(
    `HTTP/1.1 ${status} ${problem.title}\r\ncontent-type: ${problemType}\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\nconnection: close\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
