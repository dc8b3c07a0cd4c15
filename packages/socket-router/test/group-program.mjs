// A program with a router over two workers, in a process group of its own; it reports its port, and each event of a worker.
import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import { createSocketRouter, forkWorkers, fromCluster } from '@ticketing/socket-router';

const [mode, kind] = process.argv.slice(2);
const module = new URL('workers/held-worker.mjs', import.meta.url);

const sources = {
  forked: () => forkWorkers(module, { workers: 2 }),
  cluster() {
    cluster.setupPrimary({ exec: module.pathname });
    cluster.fork();
    cluster.fork();
    return fromCluster(cluster);
  },
  /** Starts processes, and cannot replace any. */
  bare() {
    const children = [fork(module), fork(module)];
    return {
      subscribe(listener) {
        for (const [slot, child] of children.entries()) {
          listener({ slot: String(slot), pid: child.pid, channel: child });
        }
        return () => {};
      },
      async close() {
        for (const child of children) if (child.connected) child.disconnect();
      },
    };
  },
};

const router = createSocketRouter({ mode, workers: sources[kind](), signals: true });
for (const name of ['worker-ready', 'worker-replaced', 'worker-down']) {
  router.on(name, ({ pid }) => process.send?.({ name, pid }));
}
await router.ready();
const { port } = await router.listen({ port: 0, host: '127.0.0.1' });
process.on('exit', () => {
  const { ended, workers } = router.stats();
  console.log(`workers ${ended.workers + workers.length}`);
});
process.send({ name: 'port', port, pids: router.stats().workers.map(({ pid }) => pid) });
