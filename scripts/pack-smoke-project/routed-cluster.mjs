// A user's program: a router in front of a cluster's workers, ended by SIGTERM, with only the published packages. Also the
// workers' program.
import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import http from 'node:http';
import { clusterWorker, startCluster } from '@ticketing/dispatch-cluster';
import { attachServer, createSocketRouter } from '@ticketing/socket-router';

if (cluster.isPrimary) {
  const supervisor = startCluster({
    entry: new URL(import.meta.url),
    workers: 2,
    connections: 'external',
  });
  const route = ({ header }) => ({ key: header?.('x-user') ?? '' });
  const laterRequests = 'close';
  const router = createSocketRouter({ workers: supervisor, route, laterRequests, signals: true });
  await router.ready();
  const { port } = await router.listen({ port: 0, host: '127.0.0.1' });
  const headers = { connection: 'close', 'x-user': 'one' };
  const ask = async () => (await fetch(`http://127.0.0.1:${port}`, { headers })).text();
  assert.equal(await ask(), await ask());
  // Nothing else is done here: the program ends when the router has closed its workers.
  process.once('exit', (code) => {
    assert.deepEqual([code, router.stats().state, supervisor.state], [0, 'closed', 'closed']);
    console.log(`node ${process.version}: a router and its cluster end by one SIGTERM`);
  });
  process.kill(process.pid, 'SIGTERM');
} else {
  clusterWorker({
    server: http.createServer((_, response) => response.end(String(process.pid))),
    attach: attachServer,
  });
}
