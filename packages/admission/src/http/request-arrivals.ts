import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Admission } from '../admission.ts';

/** A head that is read within this time after its connection was accepted, in milliseconds, had arrived by then. */
const TOGETHER_MS = 20;

/** Notes the connections of a server. Returns a function that returns the earliest time at which a request can have arrived. */
export function watchArrivals(
  server: Pick<Server, 'on'>,
  admission: Admission,
): (request: IncomingMessage) => number {
  const connected = new WeakMap<Socket, { readonly at: number; readonly arrivedAt: number }>();
  server.on('connection', (socket: Socket) => {
    admission.connected();
    connected.set(socket, { at: performance.now(), arrivedAt: admission.arrivedAt() });
  });
  return ({ socket }) => {
    const connection = connected.get(socket);
    connected.delete(socket);
    const isFirst = connection !== undefined && performance.now() - connection.at < TOGETHER_MS;
    return isFirst ? connection.arrivedAt : admission.arrivedAt();
  };
}
