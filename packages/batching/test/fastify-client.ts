import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { onTestFinished, vi } from 'vitest';
import { type CoalesceRoutesOptions, coalesceRoutes } from '../src/fastify/index.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request on a socket of its own. */
export interface Call {
  readonly answer: Promise<HttpAnswer>;
  /** Closes the socket; the answer rejects. */
  leave(): void;
}

/** An app with the plugin, closed after the test. */
export async function createApp(
  options: CoalesceRoutesOptions = {},
  server: FastifyServerOptions = {},
): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({ forceCloseConnections: true, ...server });
  onTestFinished(() => app.close());
  await app.register(coalesceRoutes, options);
  return app;
}

/** Listens, and gives what sends requests over real sockets. */
export async function listen(
  app: FastifyInstance,
): Promise<(path: string, options?: RequestOptions) => Call> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
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
    { interval: 1, timeout: 5000 },
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
