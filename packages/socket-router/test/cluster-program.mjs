// A program that runs its workers by node:cluster; a worker is this file as well.
import cluster from 'node:cluster';
import { createSocketRouter, fromCluster } from '@ticketing/socket-router';

if (cluster.isPrimary) {
  cluster.setupPrimary({ serialization: process.argv[2] });
  cluster.fork();
  const router = createSocketRouter({
    workers: fromCluster(cluster),
    mode: process.argv[3] ?? 'socket',
  });
  cluster.fork();
  let isClosing = false;
  cluster.on('exit', (worker) => {
    // A successor that starts while all ends would be in the way of the end.
    if (!isClosing && !worker.exitedAfterDisconnect) cluster.fork();
  });
  const report = () => {
    const workers = router.stats().workers.map(({ slot, pid, state }) => ({ slot, pid, state }));
    process.send({ port, workers });
  };
  let port;
  router.on('worker-ready', () => port && report());
  ({ port } = await router.listen({ port: 0, host: '127.0.0.1' }));
  report();
  process.on('message', async () => {
    isClosing = true;
    await router.close({ graceMs: 2000 });
    process.send({ left: Object.keys(cluster.workers).length });
    cluster.disconnect(() => process.disconnect());
  });
} else {
  await import('./workers/http-worker.mjs');
}
