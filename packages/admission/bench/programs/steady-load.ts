// A process that keeps a number of requests under way to a port, over connections that stay, until so many are answered.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Plain data. */
export interface LoadOrder {
  readonly port: number;
  readonly requests: number;
  /** Connections, each with one request under way. */
  readonly clients: number;
}

const REQUEST = 'GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n';
const open = new Map<string, Promise<Socket[]>>();

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay().setEncoding('latin1');
  await once(socket, 'connect');
  return socket;
}

function socketsTo({ port, clients }: LoadOrder): Promise<Socket[]> {
  const key = `${port} ${clients}`;
  const sockets =
    open.get(key) ?? Promise.all(Array.from({ length: clients }, () => connected(port)));
  open.set(key, sockets);
  return sockets;
}

/** Sends one request after the other while there are any. An answer is so short that it comes in one piece. */
function send(socket: Socket, left: { count: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = (): void => {
      if (left.count > 0) {
        left.count -= 1;
        socket.write(REQUEST);
        return;
      }
      socket.off('data', onData);
      resolve();
    };
    const onData = (text: string): void => {
      if (text.startsWith('HTTP/1.1 200 ')) next();
      else reject(new Error(`Cannot measure: an answer was ${text}`));
    };
    socket.on('data', onData);
    next();
  });
}

process.on('message', async (order: LoadOrder) => {
  const sockets = await socketsTo(order);
  const left = { count: order.requests };
  await Promise.all(sockets.map((socket) => send(socket, left)));
  process.send?.('done');
});
