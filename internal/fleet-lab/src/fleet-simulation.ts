// `pnpm fleet-simulation [5 100 300 1000] [--seed 1] [--quick | --report]`: fleets of simulated hosts, on the real programs of
// dispatchers and hosts. Writes results/simulation.json, results/simulation.csv and docs/measurements/fleet-simulation.md; `--quick` only prints.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { report } from '@ticketing/bench-kit';
import { exitCodeOf, flag, integerFrom, onOff, readCommandLine, stated } from '@ticketing/cli-kit';
import type { PhaseResult } from './simulation/measures.ts';
import { csvLines, reportLines } from './simulation/report.ts';
import { runSetting } from './simulation/run-setting.ts';
import { type Setting, settings } from './simulation/settings.ts';

const resultsFile = new URL('../results/simulation.json', import.meta.url);
const csvFile = new URL('../results/simulation.csv', import.meta.url);
const tables = new URL('../../../docs/measurements/fleet-simulation.md', import.meta.url);

/** Results by the number of hosts. */
type Kept = Record<string, { readonly seed: number; readonly results: readonly PhaseResult[] }>;

const bareFlag = (name: string, about: string) =>
  flag({ name, about, value: onOff, bare: true, fallback: false });

try {
  const command = {
    run: 'pnpm fleet-simulation',
    about: 'Simulates fleets of hosts, without sockets, and writes what they show.',
    verb: 'simulate',
    flags: {
      seed: flag({ name: 'seed', about: 'Of all chance', value: integerFrom(0, 1e8), fallback: 1 }),
      quick: bareFlag('quick', 'A second of each phase, printed and not written'),
      report: bareFlag('report', 'Writes the tables again, without simulating'),
    },
    words: { name: 'hosts', known: Object.keys(settings) },
  };
  const { settings: flags, words } = readCommandLine(command, process.argv.slice(2));
  const { seed, quick, report: again } = stated(flags);
  const kept: Kept = existsSync(resultsFile)
    ? JSON.parse(readFileSync(resultsFile, 'utf8'), (_, value) => value ?? undefined)
    : {};
  for (const hosts of again ? [] : words.length === 0 ? Object.keys(settings) : words) {
    const results: PhaseResult[] = [];
    for (const setting of settings[hosts] ?? []) {
      results.push(...(await simulate(quick ? shortened(setting) : setting, seed)));
    }
    kept[hosts] = { seed, results };
    if (!quick) write(kept, seed);
  }
  if (again) write(kept, seed);
} catch (error) {
  const code = exitCodeOf(error);
  if (code === undefined) console.error(error);
  process.exitCode = code ?? 1;
}

async function simulate(setting: Setting, seed: number): Promise<readonly PhaseResult[]> {
  const startedAt = performance.now();
  const results = await runSetting(setting, {
    seed,
    onPhase: ({ phase, asked, lost, twice }) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      console.error(
        `${setting.name}, ${phase}: ${asked} calls, ${lost} lost, ${twice} twice, after ${seconds} s`,
      );
    },
  });
  return results;
}

function shortened(setting: Setting): Setting {
  return { ...setting, phases: setting.phases.map((phase) => ({ ...phase, seconds: 1 })) };
}

function write(kept: Kept, seed: number): void {
  const results = Object.values(kept).flatMap((each) => each.results);
  writeFileSync(resultsFile, `${JSON.stringify(kept, null, 1)}\n`);
  writeFileSync(csvFile, `${csvLines(results, seed).join('\n')}\n`);
  report(tables, reportLines(results, seed), { quick: false, marks: 'simulation' });
}
