// A program with an inspector, as by `--inspect`, and a router: reports where its own and those of its workers listen.
import { subscribe } from 'node:diagnostics_channel';
import inspector from 'node:inspector';
import { createSocketRouter, forkWorkers } from '@ticketing/socket-router';

inspector.open(0, '127.0.0.1');
const { port } = new URL(inspector.url());
process.execArgv.push(`--inspect=127.0.0.1:${port}`);
const urls = [];
subscribe('ticketing:socket-router:inspector-open', ({ url }) => urls.push(url));
const module = new URL('workers/held-worker.mjs', import.meta.url);
const router = createSocketRouter({ workers: forkWorkers(module, 2) });
await router.ready();
process.send({ own: inspector.url(), urls });
await router.close();
process.disconnect();
