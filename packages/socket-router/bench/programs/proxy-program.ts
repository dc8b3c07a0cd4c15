// httpxy or http-proxy-3 in front of unix sockets, which take turns, with kept connections.
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createProxyServer as createProxy3 } from 'http-proxy-3';
import { createProxyServer as createHttpxy } from 'httpxy';
import { reportReady } from './report-ready.ts';
import { startUnixWorkers } from './unix-workers.ts';

const [name, count, folder = ''] = process.argv.slice(2);
const workers = await startUnixWorkers(folder, Number(count));
const agent = new Agent({ keepAlive: true });
let turn = 0;

function nextPath(): string {
  turn = (turn + 1) % workers.length;
  return workers[turn]?.path ?? '';
}

function createAnswer(): (request: IncomingMessage, response: ServerResponse) => void {
  if (name === 'httpxy') {
    const proxy = createHttpxy({ agent, xfwd: true });
    return (request, response) => {
      const target = { host: 'localhost', socketPath: nextPath() };
      proxy.web(request, response, { target }).catch(() => response.destroy());
    };
  }
  const proxy = createProxy3({ agent, xfwd: true });
  return (request, response) => {
    const target = { host: 'localhost', port: 80, socketPath: nextPath() };
    proxy.web(request, response, { target }, () => response.destroy());
  };
}

const server = createServer({ keepAliveTimeout: 60_000 }, createAnswer());
server.listen(0, '127.0.0.1');
await once(server, 'listening');
reportReady({
  port: (server.address() as AddressInfo).port,
  fronts: [process.pid],
  workers: workers.map(({ pid }) => pid),
});
