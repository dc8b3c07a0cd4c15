// A program with a router: reports its port and processes, and runs until it is killed or gets a message.
import { createSocketRouter, forkWorkers } from '@ticketing/socket-router';

const [mode, count, signals] = process.argv.slice(2);
const module = new URL('workers/http-worker.mjs', import.meta.url);
const router = createSocketRouter({
  mode,
  signals: signals === 'signals',
  workers: forkWorkers(module, {
    workers: Number(count),
    env: { ...process.env, ROUTE: 'key' },
  }),
  // Workers open unix sockets in both modes.
  ...(mode === 'socket' && { laterRequests: 'forward', route: () => ({ key: 'one' }) }),
});
await new Promise((resolve) => {
  let ready = 0;
  router.on('worker-ready', () => {
    ready += 1;
    if (ready === Number(count)) resolve();
  });
});
const { port } = await router.listen({ port: 0, host: '127.0.0.1' });
process.send({ port, pids: router.stats().workers.map(({ pid }) => pid) });
process.on('message', () => {
  router.close({ graceMs: 2000, lameDuckMs: 0 }).then(() => process.disconnect());
});
