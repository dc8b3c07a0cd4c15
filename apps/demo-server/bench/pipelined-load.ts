// A process that sends requests when it is told to, over connections that stay: no slice pays for its start.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What to send. */
export interface LoadOrder {
  readonly port: number;
  readonly path: string;
  readonly requests: number;
}

const CONNECTIONS = 8;
/** Requests that a connection has under way at most. */
const AT_ONCE = 16;
const STATUS = 'HTTP/1.1 ';

const open = new Map<number, Promise<Socket[]>>();

function socketsTo(port: number): Promise<Socket[]> {
  const known = open.get(port);
  if (known !== undefined) return known;
  const made = Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(port, '127.0.0.1').setNoDelay();
      await once(socket, 'connect');
      return socket;
    }),
  );
  open.set(port, made);
  return made;
}

/** Sends requests in batches, and resolves when all are answered with 200. */
async function send(socket: Socket, request: string, requests: number): Promise<void> {
  socket.setEncoding('latin1');
  for (let left = requests; left > 0; left -= AT_ONCE) {
    const batch = Math.min(left, AT_ONCE);
    let answered = 0;
    let text = '';
    socket.write(request.repeat(batch));
    while (answered < batch) {
      const [more] = (await once(socket, 'data')) as [string];
      text += more;
      const parts = text.split(STATUS);
      answered = parts.length - 1;
      const wrong = parts.slice(1, -1).find((part) => !part.startsWith('200 '));
      if (wrong !== undefined) throw new Error(`Cannot measure: an answer was ${wrong}`);
    }
    // The body of the last one may be under way: the server has written it in one piece with its head.
  }
}

process.on('message', async ({ port, path, requests }: LoadOrder) => {
  const request = `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  const sockets = await socketsTo(port);
  await Promise.all(
    sockets.map((socket) => send(socket, request, Math.ceil(requests / CONNECTIONS))),
  );
  process.send?.('done');
});
