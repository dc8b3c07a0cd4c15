import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from './app.ts';
import { forkWorkers, sayReady } from './fork-workers.ts';

const pathOf = (primary: number, worker: number): string =>
  join(tmpdir(), `seed-passthru-${primary}-${worker}.sock`);

/** The primary speaks HTTP with the client, and proxies to a worker over a unix socket. */
export async function startPassthruMode(workers: number): Promise<number> {
  await forkWorkers(workers);
  const server = createServer((client, answer) => {
    proxy(client, answer, Math.floor(Math.random() * workers) + 1);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Opens a connection per request (`agent: false`), which is its largest cost. */
function proxy(client: IncomingMessage, answer: ServerResponse, worker: number): void {
  const onward = request(
    {
      socketPath: pathOf(process.pid, worker),
      path: `/worker${client.url}`,
      method: client.method,
      headers: { ...client.headers },
      agent: false,
    },
    (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    },
  );
  // A client whose worker fails gets an empty 200: the seed does not handle the error.
  onward.on('error', () => answer.end());
  client.pipe(onward);
}

export function startPassthruWorker(): void {
  createApp().listen({ path: pathOf(process.ppid, cluster.worker?.id ?? 0) }, sayReady);
}
