// Searches that a server answers per second of one core, with coalescing and without, one row per mode. Writes the table into
// docs/measurements; `--quick` only prints it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { benchFlags, median } from '@ticketing/bench-kit';
import { BARE_FLAGS, reportDemo, samplesOf } from './demo-bench.ts';
import { type DemoServer, startServer } from './demo-process.ts';
import { ASKED, queries, startSimulator } from './simulator.ts';

const flags = benchFlags({ rounds: 5 }, { quickLengths: { rounds: 2 } });
const IN_FLIGHT = 32;
/** Groups of equal questions, one after the other. */
const GROUPS = 20;
/** The platform counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

const NDJSON = 'application/x-ndjson';
const JSON_TYPE = 'application/json';
const modes: readonly { readonly argv: readonly string[]; readonly accept: string }[] = [
  { argv: ['--dispatch', 'in-process'], accept: JSON_TYPE },
  { argv: ['--dispatch', 'in-process'], accept: NDJSON },
  { argv: ['--dispatch', 'fork'], accept: JSON_TYPE },
  { argv: ['--dispatch', 'fork', '--offload', 'search'], accept: JSON_TYPE },
  { argv: ['--dispatch', 'fork', '--offload', 'search'], accept: NDJSON },
  { argv: ['--dispatch', 'piscina', '--offload', 'search'], accept: JSON_TYPE },
];
const COALESCE = ['off', 'on'] as const;

const simulator = await startSimulator();
const dates = queries().map(({ date }) => date);
const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });

interface Subject {
  readonly server: DemoServer;
  readonly accept: string;
  readonly pids: readonly number[];
}

/** Servers are started once for each set of flags. */
const servers = new Map<string, Promise<Pick<Subject, 'server' | 'pids'>>>();

async function start(argv: readonly string[]): Promise<Pick<Subject, 'server' | 'pids'>> {
  const server = await startServer([
    ...[...BARE_FLAGS, '--carriers-url', simulator.url, '--carriers', ASKED.join()],
    ...['--deadline-ms', '60000', ...argv],
    ...(argv.includes('in-process') ? [] : ['--dispatch-workers', '1']),
  ]);
  const config = JSON.parse(await ask(`${server.url}/config`, JSON_TYPE));
  const pids: number[] = config.processes.map(({ pid }: { pid: number }) => pid);
  return { server, pids: [...new Set(pids)] };
}

const subjects: Subject[] = [];
for (const { argv, accept } of modes) {
  for (const coalesce of COALESCE) {
    const all = [...argv, '--coalesce', coalesce];
    const started = servers.get(all.join(' ')) ?? start(all);
    servers.set(all.join(' '), started);
    subjects.push({ ...(await started), accept });
  }
}

function ask(url: string, accept: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { accept } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.once('end', () => resolve(text)).once('error', reject);
    }).once('error', reject);
  });
}

function processorSeconds(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((all, one) => all + one, 0) / TICKS_PER_SECOND;
}

/** Searches per second of processor time: 32 clients ask one question at a time, then the next. */
async function measure({ server, accept, pids }: Subject): Promise<number> {
  const before = processorSeconds(pids);
  for (let group = 0; group < GROUPS; group += 1) {
    const date = dates[group % dates.length];
    const url = `${server.url}/search?origin=Atocha&destination=Barcelona&date=${date}`;
    const asked = Array.from({ length: IN_FLIGHT }, () => ask(url, accept));
    for (const answer of await Promise.all(asked)) assert.ok(answer.includes('"complete":true'));
  }
  return (GROUPS * IN_FLIGHT) / (processorSeconds(pids) - before);
}

const rates = await samplesOf(subjects, measure, { rounds: flags.rounds, warmUps: 2 });
agent.destroy();
for (const started of servers.values()) await (await started).server.stop();
simulator.close();

const rows = modes.map(({ argv, accept }, mode) => {
  const [off = Number.NaN, on = Number.NaN] = COALESCE.map((_, place) =>
    median(rates[mode * COALESCE.length + place] ?? []),
  );
  const form = accept === NDJSON ? 'stream' : 'JSON';
  return [`\`${argv.join(' ')}\`, ${form}`, off.toFixed(0), on.toFixed(0), (1000 / off).toFixed(2)];
});
reportDemo(flags, {
  ...{ script: 'bench:rates', marks: 'rates' },
  rows: [
    ['searches per second of one core', '`--coalesce off`', '`--coalesce on`', 'ms each, off'],
    ...rows,
  ],
  before: '',
  after:
    `A round is ${GROUPS} questions to each, each asked by ${IN_FLIGHT} clients at once; ` +
    'processor time of the server and its worker, that of the simulator and the clients is not part of it.',
});
