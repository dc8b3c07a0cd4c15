// This package, in mode `socket` or `passthru`, or in mode `socket` without reading: `tcp`.
import { createSocketRouter, forkWorkers } from '@ticketing/socket-router';
import { reportReady } from './report-ready.ts';

const [mode, workers] = process.argv.slice(2);
const router = createSocketRouter({
  ...(mode === 'tcp' ? { protocol: 'tcp' } : { mode: mode as 'socket' | 'passthru' }),
  workers: forkWorkers(new URL('router-worker.ts', import.meta.url), Number(workers)),
});
const { port } = await router.listen({ port: 0, host: '127.0.0.1', backlog: 511 });
const areReady = (): boolean => router.stats().workers.every(({ state }) => state === 'ready');
while (!areReady()) await new Promise<unknown>((resolve) => router.on('worker-ready', resolve));
reportReady({
  port,
  fronts: [process.pid],
  workers: router.stats().workers.map(({ pid = 0 }) => pid),
});
