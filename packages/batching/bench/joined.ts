// Processor time of a joined answer of Fastify, beside a Map of promises in the same server; writes the table into
// docs/measurements. The load is in another process. `--quick` only prints it.
import { strictEqual } from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { createCoalescer } from '@ticketing/batching';
import { coalesceRoutes } from '@ticketing/batching/fastify';
import { createSharedBodies } from '@ticketing/batching/http';
import {
  benchFlags,
  circumstances,
  interleaved,
  median,
  medianRatio,
  report,
  startPipelinedLoad,
  table,
  times,
} from '@ticketing/bench-kit';
import { type FastifyReply, fastify } from 'fastify';

const flags = benchFlags({ rounds: 100 }, { quickLengths: { rounds: 30 } });
const REQUESTS = 1024;
const LOAD_MS = 10;
const TYPE = 'application/json; charset=utf-8';
const document = JSON.stringify({
  trains: Array.from({ length: 300 }, (_, index) => ({
    id: index,
    name: `AVE ${index}`,
    price: '49.90 EUR',
  })),
});

let loads = 0;
async function load(): Promise<Buffer> {
  loads += 1;
  await wait(LOAD_MS);
  return Buffer.from(document);
}

const app = fastify();

// By hand: a Map of promises, of the body and of the body encoded.
const loading = new Map<string, Promise<Buffer>>();
const encoding = new Map<string, Promise<Buffer>>();
function once(promises: Map<string, Promise<Buffer>>, key: string, make: () => Promise<Buffer>) {
  const known = promises.get(key);
  if (known !== undefined) return known;
  const made = make().finally(() => promises.delete(key));
  promises.set(key, made);
  return made;
}
const brotli = (body: Buffer) =>
  promisify(brotliCompress)(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
app.get<{ Params: { key: string } }>('/map/:key', async ({ params }, reply) => {
  const body = await once(loading, params.key, load);
  return reply.type(TYPE).send(body);
});
app.get<{ Params: { key: string } }>('/map-encoded/:key', async ({ params, headers }, reply) => {
  if (!/\bbr\b/.test(headers['accept-encoding'] ?? '')) throw new Error('not asked for');
  const body = await once(encoding, params.key, () => load().then(brotli));
  return reply.headers({ vary: 'accept-encoding', 'content-encoding': 'br' }).type(TYPE).send(body);
});

// By this package.
const byKey = createCoalescer((_key: string) => load());
app.get<{ Params: { key: string } }>('/coalescer/:key', async ({ params }, reply) => {
  const body = await byKey.get(params.key);
  return reply.type(TYPE).send(body);
});

/** Aborts when the client leaves. */
function clientSignal({ raw }: FastifyReply): AbortSignal {
  const client = new AbortController();
  raw.once('close', () => {
    if (!raw.writableEnded) client.abort();
  });
  return client.signal;
}
app.get<{ Params: { key: string } }>('/signal/:key', async ({ params }, reply) => {
  const body = await byKey.get(params.key, { signal: clientSignal(reply) });
  return reply.type(TYPE).send(body);
});

const bodies = createSharedBodies({ etag: false });
app.get<{ Params: { key: string } }>('/encoded/:key', async (request, reply) => {
  const loaded = await byKey.get(request.params.key);
  const { headers, body } = await bodies.answer(request, { body: loaded });
  return reply.headers(headers).type(TYPE).send(body);
});
app.get<{ Params: { key: string } }>('/encoded-signal/:key', async (request, reply) => {
  const signal = clientSignal(reply);
  const loaded = await byKey.get(request.params.key, { signal });
  const { headers, body } = await bodies.answer(request, { body: loaded, signal });
  return reply.headers(headers).type(TYPE).send(body);
});

await app.register(async (scope) => {
  await scope.register(coalesceRoutes);
  scope.get('/plugin/:key', { config: { coalesce: true } }, async (_request, reply) =>
    reply.type(TYPE).send(await load()),
  );
});

const contenders = [
  { name: 'a `Map` of promises', path: '/map/1', base: 0 },
  { name: '`createCoalescer`', path: '/coalescer/1', base: 0 },
  { name: '`createCoalescer`, with the signal of each client', path: '/signal/1', base: 0 },
  { name: '`coalesceRoutes`', path: '/plugin/1', base: 0 },
  { name: 'a `Map` of promises, encoded once', path: '/map-encoded/1', base: 4 },
  { name: '`createCoalescer` and `createSharedBodies`', path: '/encoded/1', base: 4 },
  {
    name: '`createCoalescer` and `createSharedBodies`, with the signal of each client',
    path: '/encoded-signal/1',
    base: 4,
  },
] as const;

const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);

/** Equal answers first. */
for (const { path, base } of contenders) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { 'accept-encoding': 'br' },
  });
  strictEqual(await answer.text(), document, path);
  strictEqual(answer.headers.get('content-encoding'), base === 0 ? null : 'br', path);
  strictEqual(answer.headers.get('content-type'), TYPE, path);
}

const clients = startPipelinedLoad();

/** Microseconds of this process's processor time for each answer. */
async function measure(path: string): Promise<number> {
  globalThis.gc?.();
  const [before, loadsBefore] = [process.cpuUsage(), loads];
  await clients.send({ port, path, requests: REQUESTS, headers: { 'accept-encoding': 'br' } });
  const { user, system } = process.cpuUsage(before);
  if ((loads - loadsBefore) * 20 > REQUESTS)
    throw new Error(`Cannot measure: ${path} did not join`);
  return (user + system) / REQUESTS;
}

const samples = contenders.map((): number[] => []);
for (const { item, place, round } of interleaved(contenders, {
  rounds: flags.rounds,
  warmUps: 15,
})) {
  const sample = await measure(item.path);
  if (round >= 0) samples[place]?.push(sample);
}
clients.close();
await app.close();

const rows = contenders.map(({ name, base }, place) => {
  const [own = [], bases = []] = [samples[place], samples[base]];
  return [name, `${median(own).toFixed(1)} µs`, times(medianRatio(own, bases))];
});
report(
  new URL('../../../docs/measurements/batching.md', import.meta.url),
  [
    ...table([['an answer of Fastify that 127 others share', 'processor time', 'ratio'], ...rows]),
    '',
    `${circumstances('pnpm --filter @ticketing/batching bench:joined', flags)} A round is ${REQUESTS} requests to each, 128 at a time, pipelined, from another process.`,
  ],
  { ...flags, marks: 'joined' },
);
