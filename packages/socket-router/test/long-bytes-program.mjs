// Sends requests that fill what a router reads to a worker, and prints which came otherwise, and the worker's file.
import { createHash, randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { createSocketRouter, forkWorkers } from '@ticketing/socket-router';

const module = new URL('workers/http-worker.mjs', import.meta.url);
const router = createSocketRouter({ workers: forkWorkers(module, { workers: 1 }) });
const { port } = await router.listen({ port: 0, host: '127.0.0.1' });
await router.ready();
const wrong = [];
for (let count = 0; count < 20; count += 1) {
  const body = randomBytes(10_000 * count);
  const answer = await fetch(`http://127.0.0.1:${port}/md5`, { method: 'POST', body });
  const { md5 } = await answer.json();
  if (md5 !== createHash('md5').update(body).digest('hex')) wrong.push(body.length);
}
const [{ pid }] = router.stats().workers;
let path;
try {
  path = readlinkSync(`/proc/${pid}/fd/4`);
} catch {
  path = 'none';
}
console.log(JSON.stringify({ wrong, path }));
await router.close({ graceMs: 2000, lameDuckMs: 0 });
