// 300 clients ask one question, with and without coalescing; writes the table into README.md.
// `--rounds 1 --seconds 2` for a quick look.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '5' } },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const CONNECTIONS = 300;
const PATH = '/search?origin=Madrid&destination=Barcelona';
const CALLS_A_SEARCH = 4; // Renfe's
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

type Mode = 'on' | 'off';

interface Run {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
  /** Searches that reached the carriers, for each answered request. */
  readonly upstreamShare: number;
}

async function run(mode: Mode): Promise<Run> {
  const flags = ['--port', '0', '--coalesce', mode, '--deadline-ms', '60000'];
  const server = spawn(process.execPath, ['--conditions=@ticketing/source', main, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const { url, carriersUrl } = await addressesOf(server.stdout);
    await prove(url);
    const before = await renfeCalls(carriersUrl);
    const result = await autocannon({
      url: url + PATH,
      connections: CONNECTIONS,
      duration: seconds,
      timeout: 60,
    });
    const searches = ((await renfeCalls(carriersUrl)) - before) / CALLS_A_SEARCH;
    return {
      perSecond: result.requests.average,
      p50Ms: result.latency.p50,
      p99Ms: result.latency.p99,
      failed: result.errors + result.non2xx,
      upstreamShare: searches / result.requests.total,
    };
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

async function addressesOf(
  stdout: NodeJS.ReadableStream,
): Promise<{ url: string; carriersUrl: string }> {
  let carriersUrl = '';
  for await (const line of createInterface({ input: stdout })) {
    const [word, address = ''] = line.split(/\s+/);
    if (word === 'carriers') carriersUrl = address;
    if (word === 'listening') return { url: new URL(address).origin, carriersUrl };
  }
  throw new Error('Cannot measure: a server that listens expected, got none');
}

/** Equal answers first: every run must find the same trains. */
let expected: string | undefined;
async function prove(url: string): Promise<void> {
  const { journeys } = (await (await fetch(url + PATH)).json()) as { journeys: { id: string }[] };
  const ids = journeys.map(({ id }) => id).join();
  expected ??= ids;
  if (ids !== expected || journeys.length < 20)
    throw new Error('Cannot measure: equal answers expected');
}

async function renfeCalls(carriersUrl: string): Promise<number> {
  const counts = (await (await fetch(`${carriersUrl}/requests`)).json()) as {
    renfe: { arrived: number };
  };
  return counts.renfe.arrived;
}

const runs: Record<Mode, Run[]> = { on: [], off: [] };
for (let round = 0; round < rounds; round++) {
  for (const mode of round % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const)) {
    runs[mode].push(await run(mode));
  }
}

function median(mode: Mode, of: (run: Run) => number): number {
  const sorted = runs[mode].map(of).sort((a, b) => a - b);
  return sorted[sorted.length >> 1] as number;
}

const cells = (mode: Mode): string[] => [
  `\`--coalesce ${mode}\``,
  `${median(mode, (each) => each.perSecond).toFixed(0)}`,
  `${median(mode, (each) => each.p50Ms).toFixed(0)} ms`,
  `${median(mode, (each) => each.p99Ms).toFixed(0)} ms`,
  `${(100 * median(mode, (each) => each.upstreamShare)).toFixed(2)} %`,
  String(median(mode, (each) => each.failed)),
];
const rows = [
  ['', 'requests/s', 'p50', 'p99', 'searches upstream a request', 'failed'],
  cells('off'),
  cells('on'),
];
const widths =
  rows[0]?.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0))) ?? [];
const line = (row: readonly string[]): string =>
  `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
const rule = `| ${widths.map((width, column) => (column === 0 ? '-' : ':').padStart(width, '-')).join(' | ')} |`;
const ratio = median('on', (each) => each.perSecond) / median('off', (each) => each.perSecond);
const lines = [
  line(rows[0] ?? []),
  rule,
  ...rows.slice(1).map(line),
  '',
  `On to off: ${ratio.toFixed(1)}x. ${availableParallelism()} cores, ${cpus()[0]?.model.trim()}, Node ${process.version}, ` +
    `${new Date().toISOString().slice(0, 10)}, \`pnpm --filter demo-server bench\`: autocannon, ${CONNECTIONS} connections, ` +
    `${rounds} interleaved rounds of ${seconds} s, medians; load, server and simulator share the cores.`,
];
process.stdout.write(`${lines.join('\n')}\n`);
const readme = new URL('../README.md', import.meta.url);
const text = readFileSync(readme, 'utf8');
writeFileSync(
  readme,
  text.replace(
    /(<!-- bench -->\n)[\s\S]*?(<!-- \/bench -->)/,
    (_all, open, close) => `${open}${lines.join('\n')}\n${close}`,
  ),
);
