import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { createApp } from './app.ts';
import { anyOf, forkWorkers, sayReady } from './fork-workers.ts';

/** What the master does with a connection before there is a socket: fields of Node's own, without a type. */
interface RawHandle {
  onread: (chunk: ArrayBuffer | undefined) => void;
  readStart(): void;
  readStop(): void;
}

/**
 * The master takes connections below `net`, by private fields, reads what has come, and sends it with the handle. Its
 * faults, kept:
 * - what it read goes as `{ type: 'Buffer', data: [71, 69, …] }`: JSON of up to 64 KiB in decimal numbers, parsed again;
 * - it does not see whether that was the whole head, so a key in a later segment could not be routed by;
 * - a client that leaves before it says anything is never closed, and errors are not handled;
 * - the master keeps its own descriptor of what it gave away until the garbage collector comes by;
 * - a worker that dies takes with it what was sent to it.
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
