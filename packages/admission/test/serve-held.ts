import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@ticketing/test-kit';
import { onTestFinished } from 'vitest';
import { type Admission, type AdmissionOptions, createAdmission } from '../src/index.ts';

/** Creates an admission that ends with the test. */
export function admissionFor(options: Partial<AdmissionOptions> = {}): Admission {
  const admission = createAdmission({ deadlineMs: 20_000, ...options });
  onTestFinished(() => admission.close());
  return admission;
}

/** Handler of which each answer is given by the test. */
export interface Held {
  readonly listener: RequestListener;
  /** URLs of requests that have begun. */
  readonly begun: string[];
  /** Answers all requests that have begun, and those that begin later. */
  open(): void;
}

export function held(): Held {
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  let isOpen = false;
  return {
    begun,
    listener({ url = '' }, response) {
      begun.push(url);
      const answer = (): void => void response.end(`answer of ${url}`);
      if (isOpen) answer();
      else waiting.push(answer);
    },
    open() {
      isOpen = true;
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

export interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Client of a server on this machine. */
export interface Client {
  get(path: string): Promise<Answer>;
  /** Sends a request whose client can leave. */
  ask(path: string): { leave(): void };
}

/** Listens until the test ends. */
export async function listen(server: Server): Promise<Client> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return clientOf((server.address() as AddressInfo).port, () => {
    server.close();
    server.closeAllConnections();
  });
}

/** Returns a client of a port, each request of which has a connection of its own. */
export function clientOf(port: number, end: () => unknown): Client {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const send = (path: string) => request({ host: '127.0.0.1', port, path, agent });
  onTestFinished(async () => {
    agent.destroy();
    await end();
  });
  return {
    async get(path) {
      const client = send(path);
      client.end();
      const [response] = (await once(client, 'response')) as [IncomingMessage];
      const chunks = await response.toArray();
      const body = Buffer.concat(chunks).toString();
      return { status: response.statusCode, headers: response.headers, body };
    },
    ask(path) {
      const client = send(path);
      client.on('error', () => {});
      client.end();
      return { leave: () => client.destroy() };
    },
  };
}

/** Returns an `arrivedAt` by which a request of this path has waited for half of the deadline when it is read. */
export function waitedHalf(
  path: string,
  deadlineMs: number,
): (request: { readonly url?: string | undefined }) => number | undefined {
  return ({ url }) => (url === path ? performance.now() - deadlineMs / 2 : undefined);
}

/** Waits until the counters of an admission are as expected. */
export async function untilStats(
  admission: Admission,
  expected: Partial<ReturnType<Admission['stats']>>,
): Promise<void> {
  const wanted = Object.entries(expected);
  await until(() => {
    const stats = admission.stats();
    return wanted.every(([name, value]) => stats[name as keyof typeof stats] === value);
  });
}
