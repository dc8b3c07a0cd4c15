// A user's client: an upstream that fails is left alone, one that is slow is hedged, with only the published packages.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createGuard, GuardError } from '@ticketing/resilience';

const counts = { down: 0, busy: 0 };
const server = createServer(({ url }, response) => {
  if (url === '/found') return response.end('found');
  if (url === '/hung') return undefined;
  counts[url.slice(1)] += 1;
  response.writeHead(url === '/busy' ? 429 : 503).end();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;

async function ask(path, signal) {
  const response = await fetch(url + path, { signal });
  if (response.ok) return response.text();
  await response.body?.cancel();
  throw Object.assign(new Error(path), { status: response.status });
}
const codeOf = (call) =>
  call.then(
    (text) => text,
    (error) => (GuardError.is(error) ? error.code : error.message),
  );

const guard = createGuard({ name: 'server', circuit: { minCalls: 4 }, retry: { baseMs: 1 } });
const run = (path, options) => codeOf(guard.run(({ signal }) => ask(path, signal), options));
assert.equal(await run('/found'), 'found');
assert.equal(await run('/hung', { deadline: Date.now() + 50 }), 'ERR_TIMEOUT');
assert.equal(await run('/down'), '/down');
assert.equal(counts.down, 2);
assert.equal(await run('/found'), 'ERR_CIRCUIT_OPEN');

const busy = createGuard({ name: 'busy' });
assert.equal(await codeOf(busy.run(({ signal }) => ask('/busy', signal))), '/busy');
assert.equal(await codeOf(busy.run(({ signal }) => ask('/busy', signal))), 'ERR_RATE_LIMITED');
assert.equal(counts.busy, 1);

await guard.close();
await busy.close();
server.close();
server.closeAllConnections();
console.log(`node ${process.version}: a guard leaves a server alone that fails`);
