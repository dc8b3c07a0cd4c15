// Shows that bodies cost far more once the old generation is larger than 8 MB: garbage collections and processor time per
// 100 bodies of 1 MB, after many short connections, by megabytes of idle objects.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { constants, PerformanceObserver } from 'node:perf_hooks';

const CONNECTIONS = 8000;
const BODIES = 1000;

if (process.argv[2] === 'server') {
  // Objects that nobody looks at, about 40 bytes each.
  globalThis.ballast = Array.from({ length: Number(process.argv[3]) * 25_000 }, (_, n) => ({ n }));
  let marked = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) {
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) marked += 1;
    }
  }).observe({ entryTypes: ['gc'] });
  const server = createServer((asked, response) => {
    asked.on('data', () => {}).on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  process.on('message', () => {
    // Observers are called in a turn of their own.
    setImmediate(() => process.send({ marked, user: process.cpuUsage().user }));
  });
} else {
  const collections = [];
  for (const megabytes of [0, 1, 2, 3, 4, 8]) {
    const { line, marked } = await measure(megabytes);
    console.log(line);
    collections.push(marked);
  }
  assert.ok(collections.at(-1) > collections[0], 'beyond the limit the heap is marked more often');
}

async function measure(megabytes) {
  const child = fork(new URL(import.meta.url), ['server', String(megabytes)]);
  const [port] = await once(child, 'message');
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const ask = async (options, body) => {
    const asked = request({ port, host: '127.0.0.1', ...options }).end(body);
    const [response] = await once(asked, 'response');
    await once(response.resume(), 'end');
  };
  const repeat = async (count, once) => {
    let left = count;
    const lane = async () => {
      for (; left > 0; left--) await once();
    };
    await Promise.all(Array.from({ length: 16 }, lane));
  };
  const body = Buffer.alloc(1024 * 1024);
  const postAll = (count) => repeat(count, () => ask({ method: 'POST', agent }, body));
  const counts = async () => {
    child.send('counts');
    return (await once(child, 'message'))[0];
  };
  await repeat(CONNECTIONS, () => ask({ agent: false }));
  await postAll(200);
  const before = await counts();
  await postAll(BODIES);
  const after = await counts();
  agent.destroy();
  child.kill();
  const us = Math.round((after.user - before.user) / BODIES);
  const marked = (100 * (after.marked - before.marked)) / BODIES;
  const line = `${megabytes} MB of objects: ${marked.toFixed(1)} collections per 100 bodies, ${us} µs per body`;
  return { line, marked };
}
