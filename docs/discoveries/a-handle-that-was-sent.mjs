// Shows that the callback of send() tells nothing about who has a socket: the receiver is stopped, and then killed.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

if (process.argv[2] === 'worker') {
  process.on('message', (_, socket) => socket?.end('answer'));
  process.send('ready');
} else {
  const seen = [];
  for (const keepOpen of [false, true]) seen.push(await sendToStopped(keepOpen));
  console.log(seen.join('\n'));
  assert.match(seen[0], /no error, the client waits$/);
  assert.match(seen[1], /no error, the client reads "another worker"$/);
}

async function sendToStopped(keepOpen) {
  const worker = fork(new URL(import.meta.url), ['worker']);
  await once(worker, 'message');
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(server.address().port, '127.0.0.1');
  const [socket] = await once(server, 'connection');
  worker.kill('SIGSTOP');
  const error = await new Promise((resolve) => worker.send('take', socket, { keepOpen }, resolve));
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  socket.on('error', () => {});
  // What a master could do now, if it still had the socket and knew that nobody took it.
  if (!socket.destroyed) socket.end('another worker');
  const answer = once(client, 'data').then(([bytes]) => `the client reads "${bytes}"`);
  const outcome = await Promise.race([answer, delay(500, 'the client waits')]);
  client.destroy();
  server.close();
  return `keepOpen: ${keepOpen}, callback: ${error ?? 'no error'}, ${outcome}`;
}
