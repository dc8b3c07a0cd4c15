// A router before four workers, which hands each connection over when it has read its head.
import { createSocketRouter, forkWorkers } from '@ticketing/socket-router';
import { WORKERS } from './answer.ts';

const router = createSocketRouter({
  workers: forkWorkers(new URL('./routed-worker.ts', import.meta.url), WORKERS),
  route: () => undefined,
  laterRequests: 'connection',
});
await router.ready();
process.send?.((await router.listen({ port: 0, host: '127.0.0.1' })).port);
process.once('disconnect', () => router.close({ graceMs: 100 }));
