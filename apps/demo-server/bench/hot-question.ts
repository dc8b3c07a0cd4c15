// A question that everybody asks: each search asks its carriers, their answers are kept, or nginx before the server keeps the document.
// Writes the table into docs/measurements. `--quick` only prints it.
import { strictEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchFlags, median, medianRatio, startPipelinedLoad, times } from '@ticketing/bench-kit';
import { BARE_FLAGS, reportDemo, samplesOf } from './demo-bench.ts';
import { startServer } from './demo-process.ts';

const flags = benchFlags({ rounds: 9 }, { quickLengths: { rounds: 3 } });
const CLIENTS = 64;
const REQUESTS = 32 * CLIENTS;
const inFiveDays = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
const PATH = `/search?origin=Atocha&destination=Barcelona&date=${inFiveDays}`;
/** The platform counts processor time in hundredths of a second. */
const TICK_US = 10_000;

const argv = [
  ...BARE_FLAGS,
  '--latency',
  '50',
  '--deadline-ms',
  '60000',
  '--page-key',
  'of all these servers',
];
const kept = [...argv, '--keep', '3600:3600'];

/** Starts nginx with the settings of the guide, as one process. */
async function startNginx(
  server: string,
): Promise<{ readonly url: string; readonly pid: number | undefined; stop(): Promise<void> }> {
  const guide = readFileSync(new URL('../../../docs/guides/nginx.md', import.meta.url), 'utf8');
  const settings = guide.split('```nginx title=cache.conf\n')[1]?.split('```')[0] ?? '';
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'hot-question-'));
  const own = settings
    .replaceAll('127.0.0.1:3507', new URL(server).host)
    .replaceAll('127.0.0.1:3508', `127.0.0.1:${port}`);
  writeFileSync(join(folder, 'cache.conf'), own);
  const program = process.env['NGINX_BIN'] ?? '/usr/sbin/nginx';
  const global = 'daemon off; master_process off;';
  const child = spawn(program, ['-p', folder, '-c', join(folder, 'cache.conf'), '-g', global], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const end = (): void => void child.kill('SIGTERM');
  process.once('exit', end);
  const url = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  );
  return {
    url,
    pid: child.pid,
    async stop() {
      const ended = once(child, 'exit');
      end();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

const upstream = await startServer(argv);
const carriers = ['--carriers-url', upstream.carriersUrl];
const ask = argv.filter((_, at) => argv[at] !== '--latency' && argv[at - 1] !== '--latency');
const keeping = kept.filter((_, at) => kept[at] !== '--latency' && kept[at - 1] !== '--latency');
const [asking, keeper, cached] = await Promise.all([
  startServer([...ask, ...carriers]),
  startServer([...keeping, ...carriers]),
  startServer([...keeping, ...carriers, '--http-cache', '3600:3600']),
]);
const nginx = await startNginx(cached.url);
const contenders = [
  { name: 'each search asks its carriers', url: asking.url, pids: [asking.pid] },
  { name: '`--keep`: their answers are kept', url: keeper.url, pids: [keeper.pid] },
  {
    name: '`--keep`, `--http-cache`, nginx in front',
    url: nginx.url,
    pids: [cached.pid, nginx.pid],
  },
];

/** Equal answers first: the trains, since an offer has the time at which it came. */
const trains = await Promise.all(
  contenders.map(async ({ url }) => {
    const { journeys } = (await (await fetch(url + PATH)).json()) as { journeys: { id: string }[] };
    strictEqual(journeys.length > 10, true, 'a search finds journeys');
    return journeys.map(({ id }) => id).join();
  }),
);
for (const other of trains) strictEqual(other, trains[0]);

function processorUs(pids: readonly (number | undefined)[]): number {
  return pids.reduce<number>((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + TICK_US * (Number(fields[11]) + Number(fields[12]));
  }, 0);
}

const clients = startPipelinedLoad();
const samples = await samplesOf(
  contenders,
  async ({ url, pids }) => {
    const before = processorUs(pids);
    const startedAt = performance.now();
    await clients.send({
      port: Number(new URL(url).port),
      path: PATH,
      requests: REQUESTS,
      headers: { accept: 'application/json', 'accept-encoding': 'gzip' },
      connections: CLIENTS,
      atOnce: 1,
    });
    const perSecond = REQUESTS / ((performance.now() - startedAt) / 1000);
    return { perSecond, us: (processorUs(pids) - before) / REQUESTS };
  },
  { rounds: flags.rounds, warmUps: 2 },
);
clients.close();
await nginx.stop();
await Promise.all([asking, keeper, cached].map((server) => server.stop()));
await upstream.stop();

const rates = samples.map((of) => of.map(({ perSecond }) => perSecond));
reportDemo(flags, {
  script: 'bench:hot-question',
  marks: 'hot-question',
  rows: [
    ['a question that 64 clients ask again and again', 'answers/s', 'ratio', 'processor time'],
    ...contenders.map(({ name }, place) => [
      name,
      median(rates[place] ?? []).toFixed(0),
      times(medianRatio(rates[place] ?? [], rates[0] ?? [])),
      `${median((samples[place] ?? []).map(({ us }) => us)).toFixed(0)} µs`,
    ]),
  ],
  before: '',
  after: `A round is ${REQUESTS} requests to each, ${CLIENTS} at a time, gzip, from another process; carriers take 50 ms per call. Processor time is that of the server and of nginx, which is one process; clients and simulator share the cores.`,
});
