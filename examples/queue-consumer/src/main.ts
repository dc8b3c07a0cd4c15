import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { consume } from './consumer.ts';
import { createHttpQueue } from './queue.ts';

const workers = createForkDispatcher<typeof import('./tasks.ts')>(
  new URL('./tasks.js', import.meta.url),
  { name: 'invoices', maxQueue: 100 },
);
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stopping.abort());
}
await consume({
  queue: createHttpQueue(process.env['QUEUE_URL'] ?? 'http://127.0.0.1:9324'),
  workers,
  store: async (invoice) => console.log(JSON.stringify(invoice)),
  signal: stopping.signal,
});
await workers.close();
