// A program with a router of some options: reports its port and which parts of the package it has loaded.
import { createSocketRouter, forkWorkers } from '@ticketing/socket-router';
import { loadedParts } from './workers/loaded-modules.mjs';

const router = createSocketRouter({
  ...JSON.parse(process.argv[2]),
  workers: forkWorkers(new URL('workers/parts-worker.mjs', import.meta.url), 1),
});
const { port } = await router.listen({ port: 0, host: '127.0.0.1' });
process.send({ port, parts: loadedParts() });
process.once('message', () => router.close({ graceMs: 2000 }).then(() => process.disconnect()));
