// A program that forks itself as its workers: each would fork itself again.
import { createSocketRouter, forkWorkers } from '@ticketing/socket-router';

const source = forkWorkers(new URL(import.meta.url), { workers: 1, restart: { maxFailures: 0 } });
const router = createSocketRouter({ workers: source });
process.send(await router.ready().catch(({ code, message }) => ({ code, message })));
await router.close();
process.disconnect();
