// Opens connections, keeps them, and asks on as many as it is told.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Order {
  readonly port: number;
  /** Connections that shall be open. */
  readonly open: number;
  /** Connections on which to ask. */
  readonly ask: number;
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const END = '\r\n\r\nok';
/** An address has 28,000 ports of clients. */
const PER_ADDRESS = 20_000;
const AT_ONCE = 100;

const sockets: Socket[] = [];

async function open(port: number): Promise<void> {
  const index = process.pid * PER_ADDRESS + sockets.length;
  const localAddress = `127.${1 + (process.pid % 200)}.0.${1 + Math.floor((index % 1e6) / PER_ADDRESS)}`;
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
  sockets.push(socket);
  await once(socket, 'connect');
}

function ask(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const failed = (): void => reject(new Error('A connection ended'));
    socket.once('close', failed);
    socket.on('data', function read(piece) {
      text += piece.toString('latin1');
      if (!text.endsWith(END)) return;
      socket.off('data', read).off('close', failed);
      resolve();
    });
    socket.write(REQUEST);
  });
}

process.on('message', async (order: Order) => {
  while (sockets.length < order.open) {
    const before = sockets.length;
    const some = Math.min(AT_ONCE, order.open - before);
    await Promise.all(Array.from({ length: some }, () => open(order.port)));
    await Promise.all(sockets.slice(before).map(ask));
  }
  await Promise.all(sockets.slice(0, order.ask).map(ask));
  process.send?.('done');
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
