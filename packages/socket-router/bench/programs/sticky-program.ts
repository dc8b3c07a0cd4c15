// @socket.io/sticky, configured to balance connections like the others.
import cluster from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setupMaster, setupWorker } from '@socket.io/sticky';
import { createBenchServer } from './bench-server.ts';
import { reportReady } from './report-ready.ts';

const workers = Number(process.argv[2]);
if (cluster.isPrimary) {
  // Its documentation requires it for packets with buffers.
  cluster.setupPrimary({ serialization: 'advanced' });
  const server = createServer();
  setupMaster(server, { loadBalancingMethod: 'round-robin' });
  const all = Array.from({ length: workers }, () => cluster.fork());
  await Promise.all(all.map((worker) => once(worker, 'message')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  reportReady({ port, fronts: [process.pid], workers: all.map(({ process: { pid = 0 } }) => pid) });
} else {
  setupWorker({ httpServer: createBenchServer(), engine: new EventEmitter() });
  process.send?.('ready');
}
