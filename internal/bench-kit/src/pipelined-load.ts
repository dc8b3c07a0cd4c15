// Forked by `startPipelinedLoad`: sends requests when it is told to, over connections that stay.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { LoadOrder } from './start-pipelined-load.ts';

const HEAD_END = Buffer.from('\r\n\r\n');

const open = new Map<string, Promise<Socket[]>>();

function socketsTo({ port, connections = 8 }: LoadOrder): Promise<Socket[]> {
  const name = `${port} ${connections}`;
  const known = open.get(name);
  if (known !== undefined) return known;
  const made = Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(port, '127.0.0.1').setNoDelay();
      await once(socket, 'connect');
      return socket;
    }),
  );
  open.set(name, made);
  return made;
}

/** Sends requests in batches, and resolves when all are answered with 200. */
async function send(socket: Socket, request: string, order: LoadOrder): Promise<void> {
  const { requests, connections = 8, atOnce = 16 } = order;
  for (let left = Math.ceil(requests / connections); left > 0; left -= atOnce) {
    const batch = Math.min(left, atOnce);
    socket.write(request.repeat(batch));
    let bytes: Buffer = Buffer.alloc(0);
    let answered = 0;
    while (answered < batch) {
      const [more] = (await once(socket, 'data')) as [Buffer];
      bytes = bytes.length === 0 ? more : Buffer.concat([bytes, more]);
      for (let end = endOfAnswer(bytes); end !== undefined; end = endOfAnswer(bytes)) {
        bytes = bytes.subarray(end);
        answered += 1;
      }
    }
  }
}

/** Returns where the first answer ends, if it is here whole. @throws Error for an answer other than 200 */
function endOfAnswer(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const [, length] = /^content-length: (\d+)$/im.exec(head) ?? [];
  if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) {
    throw new Error(`Cannot measure: an answer was ${head}`);
  }
  const whole = end + HEAD_END.length + Number(length);
  return bytes.length < whole ? undefined : whole;
}

process.on('message', async (order: LoadOrder) => {
  const lines = Object.entries({ host: 'localhost', ...order.headers });
  const fields = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const request = `GET ${order.path} HTTP/1.1\r\n${fields}\r\n`;
  const sockets = await socketsTo(order);
  await Promise.all(sockets.map((socket) => send(socket, request, order)));
  process.send?.('done');
});
