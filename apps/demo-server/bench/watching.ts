// What the history of the operator's page costs without a viewer, and with one: processor time of all processes of an
// idle server, with and without; writes the table into docs/measurements. `--quick` only prints it.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { benchFlags, median } from '@ticketing/bench-kit';
import { reportDemo } from './demo-bench.ts';
import { type DemoServer, startServer } from './demo-process.ts';

const flags = benchFlags({ rounds: 10, seconds: 20 }, { quickLengths: { rounds: 2, seconds: 10 } });
const TICK_MS = 10;
/** Processes that have just started compile what they run. */
const WARM_UP_MS = 30_000;

const SHAPES: Readonly<Record<string, readonly string[]>> = {
  'one process': [],
  'primary, 4 servers x 4 task workers': [
    ...['--accept', 'socket', '--workers', '4', '--dispatch', 'fork', '--dispatch-workers', '4'],
  ],
};

interface Subject {
  readonly server: DemoServer;
  /** Processor milliseconds per second, by round. */
  readonly costs: number[];
}

async function startSubject(operator: string, argv: readonly string[]): Promise<Subject> {
  const base = ['--port', '0', '--worms', '0', '--operator', operator];
  return { server: await startServer([...base, ...argv]), costs: [] };
}

const rows: string[][] = [];
for (const [name, argv] of Object.entries(SHAPES)) {
  const without = await startSubject('off', argv);
  const unwatched = await startSubject('read', argv);
  const watched = await startSubject('read', argv);
  const leaving = new AbortController();
  const { signal } = leaving;
  const followed = await fetch(`${watched.server.url}/operator/events`, { signal });
  const reading = followed.body?.pipeTo(new WritableStream()).catch(() => {});
  await delay(WARM_UP_MS);
  const subjects = [without, unwatched, watched];
  for (let round = 0; round < flags.rounds; round += 1) {
    // All at once: processor time is that of a process, whatever runs beside it.
    const before = subjects.map(({ server }) => processorMs(server.pid));
    await delay(flags.seconds * 1000);
    for (const [at, { server, costs }] of subjects.entries()) {
      costs.push((processorMs(server.pid) - (before[at] ?? 0)) / flags.seconds);
    }
  }
  leaving.abort();
  await reading;
  await Promise.all(subjects.map(({ server }) => server.stop()));
  const more = ({ costs }: Subject): string => {
    const ms = median(costs.map((cost, at) => cost - (without.costs[at] ?? 0)));
    return `${ms.toFixed(1)} ms/s, ${(ms / 10).toFixed(2)} % of a core`;
  };
  rows.push([name, `${median(without.costs).toFixed(1)} ms/s`, more(unwatched), more(watched)]);
}

/** Processor time of a process and its descendants so far. */
function processorMs(root: number | undefined): number {
  const found = readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = text
        .slice(text.lastIndexOf(') ') + 2)
        .split(' ')
        .map(Number);
      const [parent = 0, user = 0, system = 0] = [fields[1], fields[11], fields[12]];
      return [{ pid: Number(name), parent, ms: TICK_MS * (user + system) }];
    } catch {
      // It has just ended.
      return [];
    }
  });
  const tree = new Set([root]);
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const { pid, parent } of found) if (tree.has(parent)) tree.add(pid);
  }
  return found.reduce((all, { pid, ms }) => (tree.has(pid) ? all + ms : all), 0);
}

reportDemo(flags, {
  script: 'bench:watching',
  marks: 'watching',
  rows: [['an idle server', '`--operator off`', 'more, no viewer', 'more, one page open'], ...rows],
  before: '',
  after: 'The three servers of a row run at once, on cores that other work may share.',
});
