// The seed's small server over SQLite: `--queue none|published|fixed|coalescer`; the file by WORMS_FILE.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { coalesce } from '@ticketing/batching';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import type { Tasks } from './find-tasks.ts';
import { type FindByClass, mendedQueue, publishedQueue } from './seed-queue.ts';
import type { WormRow } from './worm-table.ts';

const { values } = parseArgs({ options: { queue: { type: 'string', default: 'none' } } });
const PATH = '/api/v1/worms/';
const database = createPiscinaDispatcher<Tasks>(new URL('find-tasks.ts', import.meta.url), {
  max: availableParallelism(),
});

const query = (wormClass: string): Promise<WormRow[]> => database.run('find', wormClass);
const find: FindByClass<WormRow[]> = byCallback(query);
const queues: Record<string, FindByClass<WormRow[]>> = {
  none: find,
  published: publishedQueue(find),
  fixed: mendedQueue(find),
  coalescer: byCallback(coalesce(query, { name: 'worms' })),
};
const findByClass = queues[values.queue];
if (findByClass === undefined)
  throw new Error(`Cannot start: --queue must be a known queue, got ${values.queue}`);
await database.ready();

function byCallback(load: (wormClass: string) => Promise<WormRow[]>): FindByClass<WormRow[]> {
  return (wormClass, callback) => {
    load(wormClass).then((found) => callback(undefined, found), callback);
  };
}

const server = createServer((request, response) => {
  const wormClass = decodeURIComponent(request.url?.slice(PATH.length) ?? '');
  findByClass(wormClass, (error, found) => {
    if (error === undefined) respond(response, 200, found);
    else respond(response, 500, { error: String(error) });
  });
});

function respond(response: ServerResponse, status: number, answer: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer));
}

server.listen(0, '127.0.0.1', () => {
  console.log(`listening  http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    server.close();
    server.closeAllConnections();
    void database.close();
  });
}
