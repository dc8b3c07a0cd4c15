// `pnpm chaos [--setup NAME|all] [--seed N] [--minutes M] [--parallel P]`: the demo under faults that a seed decides.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { betweenMarks } from '@ticketing/bench-kit';
import { exitCodeOf } from '@ticketing/cli-kit';
import { type ChaosFlags, chaosFlags } from './chaos/chaos-flags.ts';
import { eventLine } from './chaos/events/event-line.ts';
import { chaos, type Findings, report } from './chaos/report.ts';
import { runSetup } from './chaos/run-setup.ts';
import { SETUPS, type Setup } from './chaos/setups.ts';
import { type Summary, summaryOf } from './chaos/summary.ts';
import { circumstances, loadAverage, machineLine } from './src/results/circumstances.ts';
import { publishOverview } from './src/results/overview.ts';
import { reportBody } from './src/results/publish.ts';
import { studies } from './studies.ts';

/** Breaches of one invariant that a run prints. Its summary counts all. */
const MOST_LINES = 20;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());

try {
  const argv = process.argv.slice(2);
  process.exitCode = await main(chaosFlags(argv), ['pnpm chaos', ...argv].join(' '));
} catch (error) {
  const code = exitCodeOf(error);
  if (code === undefined) console.error(error);
  process.exitCode = code ?? 1;
}

/** Runs each set-up under each seed; gives the exit code: 1 for a breach, 130 if it was stopped. */
async function main(flags: ChaosFlags, command: string): Promise<number> {
  const { setups, seeds, minutes, parallel, perSecond, publish } = flags;
  const loadBefore = loadAverage();
  const left = seeds.flatMap((seed) =>
    SETUPS.filter(({ name }) => setups.includes(name)).map((setup) => ({ setup, seed })),
  );
  const runs: Summary[] = [];
  const runner = async (): Promise<void> => {
    for (let next = left.shift(); next && !stop.signal.aborted; next = left.shift()) {
      runs.push(await run(next.setup, next.seed, flags));
    }
  };
  await Promise.all(Array.from({ length: parallel }, runner));
  if (stop.signal.aborted) return 130;
  const findings: Findings = { minutes, perSecond, runs };
  const made = circumstances(command, { rounds: 1, loadBefore });
  const lines = [machineLine(made), '', ...reportBody(report(findings))];
  console.log(lines.join('\n'));
  if (publish) {
    const results = { circumstances: made, verdicts: report(findings).verdicts, findings };
    writeFileSync(new URL('results.json', chaos.folder), `${JSON.stringify(results, null, 1)}\n`);
    const readme = new URL('README.md', chaos.folder);
    writeFileSync(readme, betweenMarks(readFileSync(readme, 'utf8'), { name: 'results', lines }));
    publishOverview(studies);
  }
  return runs.some(({ violations }) => Object.keys(violations).length > 0) ? 1 : 0;
}

async function run(setup: Setup, seed: number, flags: ChaosFlags): Promise<Summary> {
  const { minutes, demoFlags, perSecond, log } = flags;
  const shown = new Map<string, number>();
  const explained = new Set<string>();
  const ran = await runSetup(setup, {
    ...{ seed, ms: minutes * 60_000, perSecond, flags: demoFlags, signal: stop.signal },
    onViolation({ invariant, what, atMs, isDoubtful }, lines) {
      const before = shown.get(invariant) ?? 0;
      if (before === MOST_LINES) return;
      shown.set(invariant, before + 1);
      const doubt = isDoubtful ? ' (doubtful: the machine had no time)' : '';
      console.error(`${setup.name}, seed ${seed}: ${invariant}${doubt} at ${atMs} ms: ${what}`);
      // Further breaches of one invariant often have one cause.
      if (isDoubtful || explained.has(invariant)) return;
      explained.add(invariant);
      console.error(`${lines.join('\n')}\n`);
    },
  });
  if (log !== undefined) {
    mkdirSync(log, { recursive: true });
    const text = [...ran.events.map(eventLine), '', ran.output].join('\n');
    writeFileSync(join(log, `${setup.name}-${seed}.log`), text);
  }
  const summary = summaryOf(ran);
  console.error(`${setup.name}, seed ${seed}: ${JSON.stringify(summary)}`);
  return summary;
}
