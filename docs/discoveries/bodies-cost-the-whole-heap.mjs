// Shows that reading a body costs more the more a process holds: processor time for a megabyte, by size of the heap.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';

const SIZES = [0, 10, 40];
// In turn: what else the machine does makes all of them dearer.
const ROUNDS = 6;
const REQUESTS = 100;

if (process.argv[2] === 'server') {
  // Objects that nobody looks at, about 40 bytes each.
  globalThis.ballast = Array.from({ length: Number(process.argv[3]) * 25_000 }, (_, n) => ({ n }));
  const server = createServer((asked, response) => {
    asked.resume().on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.on('message', () => process.send(process.cpuUsage()));
} else {
  const servers = await Promise.all(SIZES.map(start));
  for (const server of servers) await server.cost();
  const costs = SIZES.map(() => 0);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, server] of servers.entries()) {
      costs[index] += (await server.cost()) / ROUNDS;
    }
  }
  for (const server of servers) server.close();
  for (const [index, us] of costs.entries()) {
    const size = String(SIZES[index]).padStart(2);
    console.log(`${size} MB of objects: ${Math.round(us)} µs per megabyte of body`);
  }
  const isFromNode24 = Number(process.versions.node.split('.')[0]) >= 24;
  assert.ok(!isFromNode24 || costs.at(-1) > 1.3 * costs[0], 'a larger heap makes bodies cost more');
}

/** Starts a server that holds so many megabytes of objects. */
async function start(megabytes) {
  const child = fork(new URL(import.meta.url), ['server', String(megabytes)]);
  const [port] = await once(child, 'message');
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const body = Buffer.alloc(1024 * 1024);
  const post = async () => {
    const asked = request({ port, host: '127.0.0.1', method: 'POST', agent }).end(body);
    const [response] = await once(asked, 'response');
    await once(response.resume(), 'end');
  };
  const cpu = async () => {
    child.send('cpu');
    const [{ user }] = await once(child, 'message');
    return user;
  };
  return {
    /** Returns microseconds of the server's processor time per body of a megabyte. */
    async cost() {
      const before = await cpu();
      await Promise.all(Array.from({ length: REQUESTS }, post));
      return ((await cpu()) - before) / REQUESTS;
    },
    close() {
      agent.destroy();
      child.kill();
    },
  };
}
