// Counts requests per worker: eight one after the other, then 800 over 16 connections at a time, each over a connection
// of its own. A process has one policy, so it is an argument: `round-robin` or `shared`; `--workers 8`.
import { parseArgs } from 'node:util';
import { type ClusterOptions, startCluster } from '../src/index.ts';

const { values, positionals } = parseArgs({
  options: { workers: { type: 'string', default: '8' } },
  allowPositionals: true,
});
const [schedulingPolicy = 'round-robin'] = positionals as ClusterOptions['schedulingPolicy'][];
await using supervisor = startCluster({
  entry: new URL('server.ts', import.meta.url),
  workers: Number(values.workers),
  schedulingPolicy,
  shutdown: { lameDuckMs: 0 },
});
await supervisor.ready();

const [worker] = supervisor.workers;
if (typeof worker?.address !== 'object')
  throw new Error('Cannot ask: the worker listens on no port');
const url = `http://127.0.0.1:${worker.address.port}`;
const ask = async (): Promise<string> =>
  (await fetch(url, { headers: { connection: 'close' } })).text();

const sequence: string[] = [];
for (let index = 0; index < 8; index++) sequence.push(await ask());
const counts = new Map(supervisor.workers.map(({ pid }) => [String(pid), 0]));
for (let round = 0; round < 50; round++) {
  for (const pid of await Promise.all(Array.from({ length: 16 }, ask))) {
    counts.set(pid, (counts.get(pid) ?? 0) + 1);
  }
}
process.stdout.write(
  `${schedulingPolicy}, ${values.workers} workers\n` +
    `  8 requests in turn: ${sequence.join(' ')}: ${new Set(sequence).size} different\n` +
    `  800 requests, 16 at once: ${[...counts.values()].sort((a, b) => b - a).join(' ')}\n`,
);
