import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { scaled } from '@ticketing/test-kit';
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { beforeEach, describe, onTestFinished, vi } from 'vitest';
import { type CoalesceRoutesOptions, coalesceRoutes } from '../src/fastify/index.ts';

/** How the tests of a file speak to their apps: each file sets it. */
export const wire: { protocol: 'HTTP/1.1' | 'h2c' | 'h2' } = { protocol: 'HTTP/1.1' };

/** Defines tests of the plugin over HTTP/1.1, and in the long half over HTTP/2 without and with TLS too. */
export function overEachProtocol(define: () => void): void {
  const protocols = scaled<readonly (typeof wire.protocol)[]>({
    fast: ['HTTP/1.1'],
    full: ['HTTP/1.1', 'h2c', 'h2'],
  });
  describe.each(protocols)('%s', (protocol) => {
    beforeEach(() => {
      wire.protocol = protocol;
    });
    define();
  });
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request: on a socket of its own, or a stream of the one session of its test. */
export interface Call {
  readonly answer: Promise<HttpAnswer>;
  /** Closes the socket, or resets the stream; the answer rejects. */
  leave(): void;
}

type Send = (path: string, options?: RequestOptions) => Call;

// TLS by a shared key: neither side needs a certificate.
const psk = Buffer.alloc(32, 1);
const serverTls: TlsOptions = { ciphers: 'PSK', pskCallback: () => psk };
const clientTls = {
  ciphers: 'PSK',
  pskCallback: () => ({ psk, identity: 'test' }),
  checkServerIdentity: () => undefined,
};

/** An app with the plugin, closed after the test. */
export async function createApp(
  options: CoalesceRoutesOptions = {},
  server: FastifyServerOptions = {},
): Promise<FastifyInstance> {
  const http2 = {
    'HTTP/1.1': {},
    h2c: { http2: true },
    h2: { http2: true, https: serverTls },
  }[wire.protocol];
  const app: FastifyInstance = fastify({
    forceCloseConnections: true,
    ...server,
    ...(http2 as object),
  });
  onTestFinished(() => app.close());
  await app.register(coalesceRoutes, options);
  return app;
}

/** Listens, and gives what sends requests over real sockets. */
export async function listen(app: FastifyInstance): Promise<Send> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  if (wire.protocol === 'HTTP/1.1') return overHttp1(port);
  const secure = wire.protocol === 'h2';
  const session = connect(`${secure ? 'https' : 'http'}://127.0.0.1:${port}`, clientTls);
  onTestFinished(() => session.destroy());
  return overHttp2(session);
}

/** Requests on a socket each. */
export function overHttp1(port: number): Send {
  return (path, options = {}) => {
    let leave = (): void => {};
    const answer = new Promise<HttpAnswer>((resolve, reject) => {
      const call = request(
        { host: '127.0.0.1', port, path, agent: false, ...options },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const { statusCode: status = 0, headers } = response;
            resolve({ status, headers, body: Buffer.concat(chunks).toString() });
          });
        },
      );
      call.on('error', reject);
      leave = () => call.destroy();
      call.end();
    });
    answer.catch(() => {});
    return { answer, leave: () => leave() };
  };
}

/** Requests as streams of a session. */
export function overHttp2(session: ClientHttp2Session): Send {
  return (path, { method = 'GET', headers: sent = {} } = {}) => {
    const { host, ...rest } = sent as Record<string, string>;
    const authority = host === undefined ? {} : { ':authority': host };
    const stream = session.request({ ':method': method, ':path': path, ...authority, ...rest });
    const answer = new Promise<HttpAnswer>((resolve, reject) => {
      let headers: IncomingHttpHeaders & { ':status'?: number | undefined } = {};
      const chunks: Buffer[] = [];
      stream.on('response', (received) => {
        headers = received;
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', reject);
      stream.on('close', () => {
        const { ':status': status } = headers;
        if (status === undefined || stream.rstCode !== 0) reject(new Error('reset'));
        else resolve({ status, headers, body: Buffer.concat(chunks).toString() });
      });
    });
    answer.catch(() => {});
    stream.end();
    return { answer, leave: () => stream.close(constants.NGHTTP2_CANCEL) };
  };
}

/** Waits until the plugin was asked so often. */
export function asked(app: FastifyInstance, count: number): Promise<void> {
  return seen(() => app.coalesced.stats().asked === count);
}

/** Waits until clients that left have been noticed. */
export function left(app: FastifyInstance, count: number): Promise<void> {
  return seen(() => app.coalesced.stats().left === count);
}

export function seen(condition: () => boolean): Promise<void> {
  return vi.waitFor(
    () => {
      if (!condition()) throw new Error(`Cannot see ${condition}`);
    },
    { interval: 1, timeout: 60_000 },
  );
}

/** Handlers that a test lets go. */
export class Gate {
  readonly #open: ((value: unknown) => void)[] = [];
  readonly #fail: ((error: unknown) => void)[] = [];
  runs = 0;
  pass(): Promise<unknown> {
    this.runs += 1;
    return new Promise((resolve, reject) => {
      this.#open.push(resolve);
      this.#fail.push(reject);
    });
  }
  open(value?: unknown): void {
    this.#fail.length = 0;
    for (const open of this.#open.splice(0)) open(value);
  }
  fail(error: unknown): void {
    this.#open.length = 0;
    for (const fail of this.#fail.splice(0)) fail(error);
  }
}
