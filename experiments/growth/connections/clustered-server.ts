// Four workers of node:cluster, which accept by themselves.
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createAnsweringServer, WORKERS } from './answer.ts';

if (cluster.isPrimary) {
  const workers = Array.from({ length: WORKERS }, () => cluster.fork());
  const listening = await Promise.all(workers.map((worker) => once(worker, 'listening')));
  process.send?.(listening[0]?.[0].port);
  process.once('disconnect', () => {
    for (const worker of workers) worker.process.kill();
    process.exit();
  });
} else {
  createAnsweringServer().listen(0, '127.0.0.1');
}
