// See close-fails-the-next-request.md. A client asks again over the connection it has, just as the server closes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import net from 'node:net';

const closings = {
  'close()': (server) => server.close(),
  'lame duck': (server) => {
    net.Server.prototype.close.call(server);
    server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
  },
};

for (const [name, close] of Object.entries(closings)) {
  const counts = {};
  for (let round = 0; round < 200; round++) {
    const server = createServer((_, response) => response.end('.')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { port } = server.address();
    await ask(port, agent);
    const second = ask(port, agent);
    // The request is written, and not read: both are of this process, and the loop has not turned.
    await new Promise(setImmediate);
    close(server);
    const outcome = await second;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    agent.destroy();
    server.closeAllConnections();
  }
  console.log(`${name.padEnd(9)}: ${JSON.stringify(counts)}`);
  assert.deepEqual(counts, name === 'close()' ? { ECONNRESET: 200 } : { 200: 200 });
}

function ask(port, agent) {
  return new Promise((resolve) => {
    get({ port, host: '127.0.0.1', agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    }).once('error', ({ code }) => resolve(code));
  });
}
