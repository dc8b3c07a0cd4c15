// Shows what a NATS subscription's callback that throws does to its connection. Needs nats-server on PATH or in /usr/sbin.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';

const require = createRequire(
  new URL('../../packages/dispatch-nats/package.json', import.meta.url),
);
const CLIENT = '@nats-io/transport-node';
const { connect } = require(CLIENT);
const PORT = 42_229;

const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
const server = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(PORT)], { env });
await once(server.stderr, 'data');

// The client prints the error itself, here left out.
const { log } = console;
console.log = () => {};
const options = { servers: `127.0.0.1:${PORT}`, waitOnFirstConnect: true, reconnectTimeWait: 100 };
const nats = await connect({ ...options, pingInterval: 500, maxPingOut: 2 });
const seen = [];
void (async () => {
  for await (const { type } of nats.status()) seen.push(type);
})();
let calls = 0;
nats.subscribe('a', {
  callback: () => {
    calls += 1;
    throw new Error('a mistake');
  },
});
await nats.flush();
nats.publish('a');
nats.publish('a');
await delay(100);
const flushed = await Promise.race([nats.flush().then(() => 'answered'), delay(300, 'no answer')]);
log('messages read:          ', calls, 'of 2');
log('flush(), 300 ms:        ', flushed);
const atOnce = [...seen];
log('status, at once:        ', atOnce.join(', ') || 'nothing');
await delay(2500);
log('status, 2.5 s later:    ', seen.join(', ') || 'nothing');
server.kill('SIGKILL');
assert.deepEqual([calls, flushed, atOnce], [1, 'no answer', []]);
assert.ok(seen.includes('staleConnection'), 'only missing pongs end the connection');
process.exit();
