// Processor time of a search that joins another one, beside a Map of promises in the same server, and in a Fastify that does
// nothing else; writes the table into docs/measurements. `--quick` only prints it.
import { strictEqual } from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  benchFlags,
  median,
  medianRatio,
  nextMessage,
  startPipelinedLoad,
  times,
} from '@ticketing/bench-kit';
import { BARE_FLAGS, reportDemo, samplesOf } from './demo-bench.ts';
import { startServer } from './demo-process.ts';

const flags = benchFlags({ rounds: 30 }, { quickLengths: { rounds: 8 } });
const CLIENTS = 512;
const REQUESTS = 4 * CLIENTS;
const PATH = '/search?origin=Atocha&destination=Barcelona';
/** The platform counts processor time in hundredths of a second. */
const TICK_US = 10_000;

// Slow carriers: whoever asks meanwhile joins.
const argv = [...BARE_FLAGS, '--coalesce', 'on', '--latency', '100', '--deadline-ms', '60000'];
/** Its processor time is not counted: it asks for the bare Fastify, and has the carriers of both servers. */
const upstream = await startServer(argv);

const children: ChildProcess[] = [];
process.once('exit', () => {
  for (const child of children) child.kill();
});

async function contender(name: string, program: string, args: readonly string[]) {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), args);
  children.push(child);
  return { name, url: await nextMessage<string>(child), pid: child.pid };
}

const contenders = [
  await contender('the demo with a `Map` of promises', './joined-server.ts', [
    'map',
    upstream.carriersUrl,
    ...argv,
  ]),
  await contender('the demo', './joined-server.ts', ['coalescer', upstream.carriersUrl, ...argv]),
  await contender('a bare Fastify with a `Map` of promises', './map-server.ts', [upstream.url]),
];

/** Equal answers first: the trains, since an offer has the time at which it came. */
async function journeysOf(url: string): Promise<string> {
  const { journeys } = (await (await fetch(url + PATH)).json()) as { journeys: { id: string }[] };
  strictEqual(journeys.length > 10, true, 'a search finds journeys');
  return journeys.map(({ id }) => id).join();
}
const [first, ...others] = await Promise.all(contenders.map(({ url }) => journeysOf(url)));
for (const other of others) strictEqual(other, first);

function processorUs(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return TICK_US * (Number(fields[11]) + Number(fields[12]));
}

const clients = startPipelinedLoad();
const samples = await samplesOf(
  contenders,
  async ({ url, pid }) => {
    const before = processorUs(pid);
    await clients.send({
      port: Number(new URL(url).port),
      path: PATH,
      requests: REQUESTS,
      headers: { accept: 'application/json' },
      connections: CLIENTS,
      atOnce: 1,
    });
    return (processorUs(pid) - before) / REQUESTS;
  },
  { rounds: flags.rounds, warmUps: 4 },
);
clients.close();
for (const child of children) child.kill();
await upstream.stop();

const [bases = []] = samples;
reportDemo(flags, {
  script: 'bench:joined',
  marks: 'joined',
  rows: [
    [`a search that ${CLIENTS} clients share`, 'processor time of an answer', 'ratio'],
    ...contenders.map(({ name }, place) => [
      name,
      `${median(samples[place] ?? []).toFixed(0)} µs`,
      times(medianRatio(samples[place] ?? [], bases)),
    ]),
  ],
  before: '',
  after: `A round is ${REQUESTS} requests to each, ${CLIENTS} at a time, from another process; the search itself is part of the demo's time, not of the bare Fastify's.`,
});
