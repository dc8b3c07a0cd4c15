// `pnpm soak [--setup NAME,…] [--minutes M]`: the demo under a steady load without faults; fails if anything grows.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { betweenMarks } from '@ticketing/bench-kit';
import { exitCodeOf } from '@ticketing/cli-kit';
import { chaos } from './chaos/report.ts';
import { SETUPS } from './chaos/setups.ts';
import { trendOf } from './chaos/soak/figures.ts';
import { runSoak } from './chaos/soak/run-soak.ts';
import { type SoakFlags, soakFlags } from './chaos/soak/soak-flags.ts';
import { failuresOf, type SoakResult, soakTable } from './chaos/soak/soak-report.ts';
import { circumstances, loadAverage, machineLine } from './src/results/circumstances.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());

try {
  const argv = process.argv.slice(2);
  process.exitCode = await main(soakFlags(argv), ['pnpm soak', ...argv].join(' '));
} catch (error) {
  const code = exitCodeOf(error);
  if (code === undefined) console.error(error);
  process.exitCode = code ?? 1;
}

/** Gives the exit code: 1 if something grows or an answer is not right, 130 if it was stopped. */
async function main(flags: SoakFlags, command: string): Promise<number> {
  const { setups, minutes, perSecond, demoFlags, beside, publish, log } = flags;
  const loadBefore = loadAverage();
  const options = { ms: minutes * 60_000, perSecond, flags: demoFlags, signal: stop.signal };
  const results = await Promise.all(
    SETUPS.filter(({ name }) => setups.includes(name)).map(async (setup): Promise<SoakResult> => {
      const { series, ...soaked } = await runSoak(setup, options);
      if (log !== undefined) {
        mkdirSync(log, { recursive: true });
        writeFileSync(join(log, `${setup.name}.json`), JSON.stringify(series));
      }
      const trends = series.flatMap((each) => trendOf(each) ?? []);
      return { ...soaked, minutes, trends };
    }),
  );
  if (stop.signal.aborted) return 130;
  const made = circumstances(command, { rounds: 1, loadBefore });
  const lines = [machineLine(made), '', ...soakTable(results)];
  console.log(lines.join('\n'));
  if (publish) {
    const text = `${JSON.stringify({ circumstances: made, results }, null, 1)}\n`;
    writeFileSync(new URL('soak.json', chaos.folder), text);
    const readme = new URL('README.md', chaos.folder);
    writeFileSync(readme, betweenMarks(readFileSync(readme, 'utf8'), { name: 'soak', lines }));
  }
  const failures = results.flatMap((result) => failuresOf(result, beside));
  for (const failure of failures) console.error(failure);
  return failures.length === 0 ? 0 : 1;
}
