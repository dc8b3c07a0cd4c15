// Shows which responses close when the connection of requests that were sent ahead is gone, and how many connections a turn of the
// event loop accepts. Run it with several versions of Node.js.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const closed = [];
let begun = 0;
const server = createServer((_request, response) => {
  const number = ++begun;
  response.once('close', () => closed.push(number));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();

const ahead = connect(port, '127.0.0.1');
ahead.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(3));
while (begun < 3) await delay(1);
ahead.destroy();
await delay(200);
console.log(`${process.version}: of 3 requests of one connection, closed: ${closed.join(', ')}`);

let turn = 0;
let isCounting = true;
const turns = new Set();
const count = () => {
  turn += 1;
  if (isCounting) setImmediate(count);
};
server.on('connection', () => turns.add(turn));
count();
const clients = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'));
await Promise.all(clients.map((client) => once(client, 'connect')));
await delay(200);
isCounting = false;
console.log(`${process.version}: 100 connections were accepted in ${turns.size} turns`);
for (const client of clients) client.destroy();
server.close();
