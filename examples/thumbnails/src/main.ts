// One line decides where the work is done. In child processes:
// import { createForkDispatcher as createDispatcher } from '@ticketing/dispatch-fork';
import { createPiscinaDispatcher as createDispatcher } from '@ticketing/dispatch-piscina';
import { createServer } from './server.ts';

const images = createDispatcher<typeof import('./tasks.ts')>(
  new URL('./tasks.js', import.meta.url),
  { name: 'images', maxQueue: 200, maxWaitMs: 10_000 },
);
const server = createServer(images);
server.addHook('onClose', () => images.close());
console.log('Listening on', await server.listen({ port: Number(process.env['PORT'] ?? 3000) }));

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => server.close());
}
