// Processor time of a request in the core alone and through the plugins, beside servers without an admission, interleaved in one
// process. Writes the table between the marks in docs/measurements. `--quick` only prints it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  benchFlags,
  circumstances,
  interleaved,
  median,
  nextMessage,
  report,
  table,
} from '@ticketing/bench-kit';
import { type FastifyInstance, fastify } from 'fastify';
import { admitRoutes } from '../src/fastify/index.ts';
import { admitRequests } from '../src/http/index.ts';
import { createAdmission } from '../src/index.ts';
import type { LoadOrder } from './programs/steady-load.ts';

const flags = benchFlags({ rounds: 60 }, { quickLengths: { rounds: 8 } });
const REQUESTS = 1000;
const CORE_REQUESTS = 5000;
const CLIENTS = [1, 32];

const load = fork(new URL('programs/steady-load.ts', import.meta.url));
const admission = createAdmission({ deadlineMs: 2000 });

/** Does something so many at a time, and returns microseconds of this thread per request. */
interface Contender {
  readonly name: string;
  readonly cells: readonly number[];
  readonly run: (clients: number) => Promise<number>;
}

async function cpuUs(requests: number, run: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const before = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / requests;
}

const ends: (() => void)[] = [];
const refuse = (): void => {
  throw new Error('Cannot measure: a request was refused');
};
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Requests of the core: each turn of the event loop brings one per client, and ends the requests of the turn before. */
function core(name: string, begin: (ended: (() => void)[]) => void): Contender {
  return {
    name,
    cells: CLIENTS,
    run: (clients) =>
      cpuUs(CORE_REQUESTS, async () => {
        for (let sent = 0; sent < CORE_REQUESTS; sent += clients) {
          for (let client = 0; client < clients; client += 1) begin(ends);
          await nextTurn();
          await nextTurn();
          for (const end of ends.splice(0)) end();
        }
      }),
  };
}

function served(name: string, port: number): Contender {
  return {
    name,
    cells: CLIENTS,
    run: (clients) =>
      cpuUs(REQUESTS, async () => {
        load.send({ port, requests: REQUESTS, clients } satisfies LoadOrder);
        await nextMessage(load);
      }),
  };
}

const nothing: RequestListener = (_request, response) => void response.end('nothing');

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function http(isAdmitted: boolean): Promise<number> {
  const server = createServer(nothing);
  if (isAdmitted) admitRequests(server, { admission });
  return listening(server);
}

async function routes(isAdmitted: boolean): Promise<number> {
  const app: FastifyInstance = fastify();
  if (isAdmitted) await app.register(admitRoutes, { admission });
  app.get('/nothing', (_request, reply) => void reply.send('nothing'));
  await app.ready();
  return listening(app.server);
}

const noEnd = (): void => {};
const contenders: readonly Contender[] = [
  core('core: nothing', (ended) => void ended.push(noEnd)),
  core('core: `apply`', (ended) => {
    ended.push(admission.apply({ arrivedAt: admission.arrivedAt(), begin: noEnd, refuse }));
  }),
  served('`node:http`', await http(false)),
  served('`node:http`, again', await http(false)),
  served('`node:http`, `admitRequests`', await http(true)),
  served('Fastify', await routes(false)),
  served('Fastify, again', await routes(false)),
  served('Fastify, `admitRoutes`', await routes(true)),
];
/** Baseline of each contender. */
const BASES = [0, 0, 2, 2, 2, 5, 5, 5];

const costs = contenders.map(() => CLIENTS.map((): number[] => []));
for (const { item, place, round } of interleaved(contenders, {
  rounds: flags.rounds,
  warmUps: 5,
})) {
  for (const [cell, clients] of CLIENTS.entries()) {
    const us = await item.run(clients);
    if (round >= 0) costs[place]?.[cell]?.push(us);
  }
}
load.kill();
const rows = contenders.map(({ name }, place) => [
  name,
  ...CLIENTS.flatMap((_, cell) => {
    const own = costs[place]?.[cell] ?? [];
    const base = costs[BASES[place] ?? 0]?.[cell] ?? [];
    const more = own.map((us, round) => us - (base[round] ?? Number.NaN));
    return [
      `${median(own).toFixed(1)} µs`,
      BASES[place] === place ? '' : `${median(more).toFixed(1)} µs`,
    ];
  }),
]);
report(
  new URL('../../../docs/measurements/admission.md', import.meta.url),
  [
    ...table([['', ...CLIENTS.flatMap((clients) => [`${clients} at a time`, 'more'])], ...rows]),
    '',
    circumstances('pnpm --filter @ticketing/admission bench:cost', flags),
  ],
  { quick: flags.quick, marks: 'cost' },
);
process.exit();
