import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { createApp } from './app.ts';
import { forkWorkers, sayReady } from './fork-workers.ts';

/** Plain `node:cluster`: the workers listen. */
export async function startClusterMode(workers: number): Promise<number> {
  const port = await freePort();
  process.env['SEED_PORT'] = String(port);
  await forkWorkers(workers);
  return port;
}

export function startClusterWorker(): void {
  createApp().listen(Number(process.env['SEED_PORT']), '127.0.0.1', sayReady);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
