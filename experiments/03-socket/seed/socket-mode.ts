import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { createApp } from './app.ts';
import { anyOf, forkWorkers, sayReady } from './fork-workers.ts';

/** A connection before it is a socket: private fields of Node, without types. */
interface RawHandle {
  onread: (chunk: ArrayBuffer | undefined) => void;
  readStart(): void;
  readStop(): void;
}

/**
 * The primary accepts connections below `net`, by private fields, reads the bytes that have arrived, and sends them with the
 * handle. Faults of the seed, kept:
 * - the bytes travel as `{ type: 'Buffer', data: [71, 69, …] }`: JSON of up to 64 KiB in decimal numbers, parsed again;
 * - it does not check for a whole head, so it cannot route by a key in a later segment;
 * - a client that leaves before it sends anything is never closed, and errors are not handled;
 * - the primary keeps its own descriptor of a connection it has handed over until the garbage collector runs;
 * - connections sent to a worker are lost if it dies.
 */
export async function startSocketMode(workers: number): Promise<number> {
  const started = await forkWorkers(workers);
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const listener = (server as unknown as { _handle: { onconnection: unknown } })._handle;
  listener.onconnection = (_error: number, handle: RawHandle) => accept(handle, started);
  return (server.address() as AddressInfo).port;
}

function accept(handle: RawHandle, workers: readonly Worker[]): void {
  handle.onread = (chunk) => {
    if (chunk == null) return;
    handle.readStop();
    anyOf(workers).send(Buffer.from(chunk) as never, handle as never);
  };
  handle.readStart();
}

export function startSocketWorker(): void {
  const app = createApp();
  process.on('message', (message: { data?: number[] }, handle: unknown) => {
    if (message.data === undefined) return;
    const socket = new Socket({ handle, allowHalfOpen: true } as never);
    socket.unshift(Buffer.from(message.data));
    app.emit('connection', socket);
  });
  sayReady();
}
