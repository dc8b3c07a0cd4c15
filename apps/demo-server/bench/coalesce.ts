// 300 clients ask one question, with and without coalescing; writes the table into docs/measurements. `--quick` only prints it.
import { benchFlags, median, times } from '@ticketing/bench-kit';
import autocannon from 'autocannon';
import { reportDemo, samplesOf } from './demo-bench.ts';
import { startServer } from './demo-process.ts';

const flags = benchFlags({ rounds: 3, seconds: 5 }, { quickLengths: { seconds: 3 } });
const CONNECTIONS = 300;
const PATH = '/search?origin=Atocha&destination=Barcelona';
const CALLS_A_SEARCH = 4; // Renfe's

const MODES = ['off', 'on'] as const;
type Mode = (typeof MODES)[number];

interface Run {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
  /** Searches that reached the carriers, for each answered request. */
  readonly upstreamShare: number;
}

async function run(mode: Mode): Promise<Run> {
  const server = await startServer(['--port', '0', '--coalesce', mode, '--deadline-ms', '60000']);
  const { url, carriersUrl } = server;
  try {
    await prove(url);
    const before = await renfeCalls(carriersUrl);
    const result = await autocannon({
      url: url + PATH,
      connections: CONNECTIONS,
      duration: flags.seconds,
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
    await server.stop();
  }
}

/** Equal answers first: every run must find the same trains. */
let expected: string | undefined;
async function prove(url: string): Promise<void> {
  const { journeys } = (await (await fetch(url + PATH)).json()) as { journeys: { id: string }[] };
  const ids = journeys.map(({ id }) => id).join();
  expected ??= ids;
  if (ids !== expected || journeys.length < 20)
    throw new Error('Cannot measure: the answers differ');
}

async function renfeCalls(carriersUrl: string): Promise<number> {
  const counts = (await (await fetch(`${carriersUrl}/requests`)).json()) as {
    renfe: { arrived: number };
  };
  return counts.renfe.arrived;
}

const runs = await samplesOf(MODES, run, { rounds: flags.rounds, warmUps: 0 });

function middle(mode: Mode, figure: keyof Run): number {
  return median((runs[MODES.indexOf(mode)] ?? []).map((each) => each[figure]));
}

const rows = MODES.map((mode) => [
  `\`--coalesce ${mode}\``,
  middle(mode, 'perSecond').toFixed(0),
  `${middle(mode, 'p50Ms').toFixed(0)} ms`,
  `${middle(mode, 'p99Ms').toFixed(0)} ms`,
  `${(100 * middle(mode, 'upstreamShare')).toFixed(2)} %`,
  String(middle(mode, 'failed')),
]);
reportDemo(flags, {
  script: 'bench',
  rows: [['', 'requests/s', 'p50', 'p99', 'searches upstream per request', 'failed'], ...rows],
  before: `On to off: ${times(middle('on', 'perSecond') / middle('off', 'perSecond'))}.`,
  after: `${CONNECTIONS} connections by autocannon; load, server and simulator share the cores.`,
});
