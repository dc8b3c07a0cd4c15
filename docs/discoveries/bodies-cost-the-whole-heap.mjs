// Shows that reading a body costs more the more a process holds: processor time for a megabyte, by size of the heap.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';

const REQUESTS = 600;

if (process.argv[2] === 'server') {
  // Objects that nobody looks at, about 40 bytes each.
  globalThis.ballast = Array.from({ length: Number(process.argv[3]) * 25_000 }, (_, n) => ({ n }));
  const server = createServer((asked, response) => {
    asked.resume().on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.on('message', () => process.send(process.cpuUsage()));
} else {
  const costs = [];
  for (const megabytes of [0, 10, 40]) {
    const us = await measure(megabytes);
    console.log(`${String(megabytes).padStart(2)} MB of objects: ${us} µs per megabyte of body`);
    costs.push(us);
  }
  const isFromNode24 = Number(process.versions.node.split('.')[0]) >= 24;
  assert.ok(!isFromNode24 || costs.at(-1) > 1.3 * costs[0], 'a larger heap makes bodies cost more');
}

async function measure(megabytes) {
  const child = fork(new URL(import.meta.url), ['server', String(megabytes)]);
  const [port] = await once(child, 'message');
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const body = Buffer.alloc(1024 * 1024);
  const post = async () => {
    const asked = request({ port, host: '127.0.0.1', method: 'POST', agent }).end(body);
    const [response] = await once(asked, 'response');
    await once(response.resume(), 'end');
  };
  const postAll = (count) => Promise.all(Array.from({ length: count }, post));
  const cpu = async () => {
    child.send('cpu');
    const [{ user }] = await once(child, 'message');
    return user;
  };
  await postAll(100);
  const before = await cpu();
  await postAll(REQUESTS);
  const us = Math.round(((await cpu()) - before) / REQUESTS);
  agent.destroy();
  child.kill();
  return us;
}
