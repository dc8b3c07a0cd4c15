// node:cluster: `round-robin`, or `shared` for the shared handle.
import cluster from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createBenchServer } from './bench-server.ts';
import { reportReady } from './report-ready.ts';

const [policy, workers] = process.argv.slice(2);
if (cluster.isPrimary) {
  cluster.schedulingPolicy = policy === 'shared' ? cluster.SCHED_NONE : cluster.SCHED_RR;
  const all = Array.from({ length: Number(workers) }, () => cluster.fork());
  const listening = await Promise.all(all.map((worker) => once(worker, 'listening')));
  const [[{ port }]] = listening as [[AddressInfo]];
  reportReady({ port, fronts: [process.pid], workers: all.map(({ process: { pid = 0 } }) => pid) });
} else {
  createBenchServer().listen(0, '127.0.0.1');
}
