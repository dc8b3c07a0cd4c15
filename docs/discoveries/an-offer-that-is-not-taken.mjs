// Shows what happens to a request that comes in one piece behind another that offers an upgrade nobody takes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const server = createServer((request, response) => response.end(request.url)).listen(
  0,
  '127.0.0.1',
);
await once(server, 'listening');

async function urlsAnswered(header) {
  const socket = connect(server.address().port, '127.0.0.1');
  const first = `GET /first HTTP/1.1\r\nHost: a\r\n${header}\r\n`;
  socket.write(`${first}GET /second HTTP/1.1\r\nHost: a\r\n\r\n`);
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
  });
  await delay(300);
  socket.destroy();
  return text.match(/\/(first|second)/g);
}

const without = await urlsAnswered('');
const offered = await urlsAnswered('Connection: Upgrade\r\nUpgrade: h2c\r\n');
console.log('without an offer:  ', without);
console.log('with Upgrade: h2c: ', offered);
assert.deepEqual([without, offered], [['/first', '/second'], ['/first']]);
server.close();
