// See connections-on-their-way.md. One worker ends while a connection is on its way to it, another serves.
import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

if (cluster.isWorker) {
  createServer((_, response) => response.end('.')).listen(0, '127.0.0.1');
  process.on('message', (how) => {
    process.send('busy');
    // What the primary sends meanwhile is not read.
    const end = performance.now() + 1000;
    while (performance.now() < end);
    if (how === 'exit') process.exit(0);
  });
} else {
  for (const how of ['SIGKILL', 'exit']) {
    const workers = [cluster.fork(), cluster.fork()];
    const [[{ port }]] = await Promise.all(workers.map((worker) => once(worker, 'listening')));
    const [victim] = workers;
    const gone = once(victim, 'exit');
    victim.send(how);
    await once(victim, 'message');
    const outcomes = Array.from({ length: 4 }, () => ask(port));
    await delay(100);
    if (how === 'SIGKILL') victim.process.kill(how);
    await gone;
    const seen = await Promise.all(outcomes);
    console.log(`${how.padEnd(7)}: ${seen.join(', ')}`);
    assert.ok(
      seen.includes('nothing in 3 s') && seen.includes('answered'),
      'one of them is forgotten',
    );
    for (const worker of Object.values(cluster.workers)) {
      worker.process.kill('SIGKILL');
      await once(worker, 'exit');
    }
  }
}

/** What a client sees within three seconds. */
function ask(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const end = (outcome) => {
      resolve(outcome);
      socket.destroy();
    };
    socket.once('data', () => end('answered'));
    socket.once('end', () => end('ended'));
    socket.once('error', ({ code }) => end(code));
    setTimeout(() => end('nothing in 3 s'), 3000);
  });
}
