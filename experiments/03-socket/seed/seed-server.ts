// The three modes of the seed, written anew in its shape, with its faults: `--mode cluster|passthru|socket`, `--workers`.
import cluster from 'node:cluster';
import { parseArgs } from 'node:util';
import { startClusterMode, startClusterWorker } from './cluster-mode.ts';
import { startPassthruMode, startPassthruWorker } from './passthru-mode.ts';
import { startSocketMode, startSocketWorker } from './socket-mode.ts';

const { values } = parseArgs({
  options: {
    mode: { type: 'string', default: 'cluster' },
    workers: { type: 'string', default: '4' },
  },
});
const modes: Record<string, { start(workers: number): Promise<number>; serve(): void }> = {
  cluster: { start: startClusterMode, serve: startClusterWorker },
  passthru: { start: startPassthruMode, serve: startPassthruWorker },
  socket: { start: startSocketMode, serve: startSocketWorker },
};
const mode = modes[values.mode];
if (mode === undefined)
  throw new Error(`Cannot start: --mode must be a known mode, got ${values.mode}`);

if (cluster.isPrimary) {
  const port = await mode.start(Number(values.workers));
  console.log(`listening  http://127.0.0.1:${port}`);
  // The seed is killed without cleaning up; its workers would stay.
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, () => {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
      process.exit(0);
    });
  }
} else {
  mode.serve();
}
