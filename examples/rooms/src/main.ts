// The router: the only process that listens. It reads the head of a connection, and a worker gets the socket.
import { createSocketRouter, forkWorkers } from '@ticketing/socket-router';
import { canary, roomOf, slotOf, stable, stableSlots } from './rooms.ts';

const worker = new URL('./worker.js', import.meta.url);
const withVersion = (VERSION: string) => ({ env: { ...process.env, VERSION } });
const router = createSocketRouter({
  workers: [
    forkWorkers(worker, { ...stable, ...withVersion('1.0') }),
    forkWorkers(worker, { ...canary, ...withVersion('1.1') }),
  ],
  health: '/healthz',
  // A member's WebSocket has a connection of its own. Behind a balancer that keeps connections, pages would need `forward`.
  laterRequests: 'connection',
  route: ({ target }) => {
    const room = roomOf(target);
    // A slot, not a key: while its process is replaced members wait for the successor. A key would take them to another
    // process, and those that come later back to the first one: a room in two halves.
    if (room !== undefined) return { slot: slotOf(room) };
    // Pages are alike in every process: by key for its caches, and never in the canary.
    return { key: target ?? '', among: stableSlots };
  },
});

const { port } = await router.listen({ port: Number(process.env['PORT'] ?? 8080) });
await router.ready();
console.log(JSON.stringify({ port }));

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void router.close({ graceMs: 8000 }));
}
