// A user's program: a cluster of two that serves, is reloaded, and runs tasks, with only the published packages. Also the
// workers' program.
import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import http from 'node:http';
import { defineTasks } from '@ticketing/dispatch';
import { clusterWorker, primaryDispatcher, startCluster } from '@ticketing/dispatch-cluster';

if (cluster.isPrimary) {
  const supervisor = startCluster({
    entry: new URL(import.meta.url),
    workers: 2,
    primaryTasks: defineTasks({ double: (n) => 2 * n }),
  });
  await supervisor.ready();
  const { port } = supervisor.workers[0].address;
  const headers = { connection: 'close' };
  const ask = async () => (await fetch(`http://127.0.0.1:${port}`, { headers })).text();
  const before = new Set([await ask(), await ask()]);
  assert.equal(before.size, 2);
  await supervisor.reload();
  assert.ok(!before.has(await ask()));
  assert.equal(await supervisor.dispatcher().run('quadruple', 3), 12);
  await supervisor.close();
  assert.equal(supervisor.stats().requests, 3);
  console.log(`node ${process.version}: a cluster serves, is reloaded, and runs tasks`);
} else {
  const primary = primaryDispatcher();
  clusterWorker({
    server: http.createServer((_, response) => response.end(String(process.pid))),
    listen: { port: 0, host: '127.0.0.1' },
    tasks: defineTasks({ quadruple: async (n) => primary.run('double', 2 * n) }),
  });
}
