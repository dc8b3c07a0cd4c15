import { startCluster } from '@ticketing/dispatch-cluster';

const supervisor = startCluster({
  entry: new URL('./cluster-worker.mjs', import.meta.url),
  workers: Number(process.argv[2]),
  shutdown: { lameDuckMs: 0 },
});
process.on('SIGTERM', () => supervisor.close());
