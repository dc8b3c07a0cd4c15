import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem, ProblemError, type ProblemStatus, problemBody } from './problem.ts';

/** Milliseconds that a client gets to read why its connection is closed. */
const LINGER_MS = 1000;
const problemType = 'application/problem+json';
const problemHeaders = { 'content-type': problemType, 'cache-control': 'no-store' };

const refusals: Readonly<Partial<Record<ProblemStatus, string>>> = {
  400: 'A parameter is wrong, or Host is absent or repeated',
  405: 'The path takes other methods, which Allow lists',
  408: 'The request did not arrive within --request-timeout-ms',
  417: 'Expect is not 100-continue',
  503: 'The server is too busy, or stops',
  431: 'The head of the request is larger than 16 KiB',
};

/** Rules of HTTP that routes cannot enforce. */
export interface HttpRules {
  /** Answers bytes that are no request, and requests that are too large or too slow. */
  clientErrorHandler(error: { readonly code?: string }, socket: Socket): void;
  /**
   * Refuses requests without exactly one Host, with a method that the path does not take, or with an unknown expectation. The
   * answers are problem+json, as in the OpenAPI document. Call it before the routes are registered.
   */
  apply(app: FastifyInstance): void;
}

/** Creates the rules for one server. */
export function createHttpRules({ requestTimeoutMs }: { requestTimeoutMs: number }): HttpRules {
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
      refuseMethods(app);
    },
  };
}

function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const detail = `Expect must be 100-continue, got ${request.headers.expect?.slice(0, 100)}`;
  const body = JSON.stringify(problemBody(417, { detail }, request.url));
  response.setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(417, { ...problemHeaders, connection: 'close' }).end(body);
}

function refuseMethods(app: FastifyInstance): void {
  const paths = new Map<string, Set<string>>();
  app.addHook('onRoute', (route) => {
    const { url, method } = route;
    const methods = paths.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    paths.set(url, methods);
    route.schema = { ...route.schema, response: documented(route.schema?.response) };
  });
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const path = pathOf(request);
    const known = [...paths].find(([url]) => isPathOf(url, path));
    if (known === undefined) throw notFound(request);
    const allow = [...known[1]].sort().join(', ');
    reply.header('allow', allow);
    const detail = `${path.slice(0, 100)} takes ${allow}, got ${request.method}`;
    throw new ProblemError(405, { detail });
  });
}

/** Whether a route's `url` matches: a segment `:name` is any text. */
function isPathOf(url: string, path: string): boolean {
  const segments = path.split('/');
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

export function notFound({ method, url }: FastifyRequest): ProblemError {
  return new ProblemError(404, { detail: `No route ${method} ${url.slice(0, 100)}` });
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

/** Adds the answers that any request may get to those of a route. */
function documented(response: unknown): Record<string, unknown> {
  const content = { [problemType]: { schema: Problem } };
  const common = Object.entries(refusals).map(([status, description]) => [
    status,
    { description, content },
  ]);
  return { ...Object.fromEntries(common), ...(response as object) };
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
    `HTTP/1.1 ${status} ${problem.title}\r\ncontent-type: ${problemType}\r\ncache-control: no-store\r\nconnection: close\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
