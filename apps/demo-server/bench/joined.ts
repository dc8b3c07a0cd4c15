// Processor time of a search that joins another one, beside a Map of promises in a Fastify of its own; writes the table into
// docs/measurements. `--quick` only prints it.
import { strictEqual } from 'node:assert/strict';
import { fork } from 'node:child_process';
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
const server = await startServer(argv);
/** Its processor time is not counted. */
const upstream = await startServer([...argv]);
const child = fork(fileURLToPath(new URL('./map-server.ts', import.meta.url)), [upstream.url]);
process.once('exit', () => child.kill());
const mapUrl = await nextMessage<string>(child);

const contenders = [
  { name: 'a `Map` of promises', url: mapUrl, pid: child.pid },
  { name: 'the demo', url: server.url, pid: server.pid },
];

/** Equal answers first: the trains, since an offer has the time at which it came. */
async function journeysOf(url: string): Promise<string> {
  const { journeys } = (await (await fetch(url + PATH)).json()) as { journeys: { id: string }[] };
  strictEqual(journeys.length > 10, true, 'a search finds journeys');
  return journeys.map(({ id }) => id).join();
}
strictEqual(await journeysOf(mapUrl), await journeysOf(server.url));

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
child.kill();
await upstream.stop();
await server.stop();

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
  after: `A round is ${REQUESTS} requests to each, ${CLIENTS} at a time, from another process; the search itself is part of the demo's time, not of the other's.`,
});
