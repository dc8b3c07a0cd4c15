// See localhost-binds-twice.md. So that it shows on any machine, the name has two
// addresses here, as where ::1 is one.
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import net from 'node:net';
import os from 'node:os';

const hasIPv6 = Object.values(os.networkInterfaces()).some((each) =>
  each.some(({ address }) => address === '::1'),
);
const two = [
  { address: '127.0.0.1', family: 4 },
  hasIPv6 ? { address: '::1', family: 6 } : { address: '127.0.0.2', family: 4 },
];
const { lookup } = dns;
dns.lookup = (host, options, done) =>
  host === 'localhost' && options.all ? done(null, two) : lookup(host, options, done);

// As the demo has it.
const demo = new URL('../../apps/demo-server/node_modules/', import.meta.url);
const { default: fastify } = await import(new URL('fastify/fastify.js', demo));

for (const host of ['localhost', '127.0.0.1']) {
  const app = fastify();
  await app.listen({ port: 0, host });
  const bound = app.addresses().map(({ address }) => address);
  const { port, address } = app.server.address();
  let seen = 0;
  app.server.on('connection', () => {
    seen += 1;
  });
  // One client that keeps its connection, and one for each other address.
  const clients = await Promise.all(bound.map((each) => connect(port, each)));
  // The end begins: the server that we know listens no more.
  net.Server.prototype.close.call(app.server);
  const late = await Promise.all(bound.map((each) => connect(port, each)));
  const open = bound.filter((_, index) => late[index] !== undefined);
  console.log(`${host}`.padEnd(10), `bound to ${bound.length}, ours to ${address}`);
  console.log(`${' '.repeat(10)} saw ${seen} of ${bound.length} connections`);
  console.log(`${' '.repeat(10)} still accepts: ${open.join(' ') || 'none'}`);
  const others = host === 'localhost' ? 1 : 0;
  assert.deepEqual([bound.length, seen, open.length], [1 + others, 1, others]);
  for (const client of [...clients, ...late]) client?.destroy();
  app.close();
}

/** The connection; undefined if it is refused. */
async function connect(port, host) {
  const socket = net.connect(port, host);
  return once(socket, 'connect').then(
    () => socket,
    () => undefined,
  );
}
