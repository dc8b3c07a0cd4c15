// Shows that a connection that was busy at server.close() stays open after its answer.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

async function stopWhileBusy(closesIdle) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({ keepAlive: true });
  const asked = request({ port: server.address().port, host: '127.0.0.1', agent }).end();
  const [, response] = await once(server, 'request');
  const closed = new Promise((resolve) => server.close(() => resolve('closed')));
  if (closesIdle) response.once('finish', () => setImmediate(() => server.closeIdleConnections()));
  response.end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  const outcome = await Promise.race([closed, delay(500, 'still open 500 ms after the answer')]);
  agent.destroy();
  server.closeAllConnections();
  return outcome;
}

const alone = await stopWhileBusy(false);
const closingIdle = await stopWhileBusy(true);
console.log('close():                       ', alone);
console.log('close(), closeIdleConnections: ', closingIdle);
assert.match(alone, /still open/);
assert.equal(closingIdle, 'closed');
