// `pnpm experiments [01|02|03|04|05|06] [--quick | --report]`: measures, and writes results.json, tables and charts of each.
// `--report` writes them again from results.json.
import { fileURLToPath } from 'node:url';
import { exitCodeOf } from '@ticketing/cli-kit';
import { experimentFlags } from './src/experiment-flags.ts';
import { publishOverview } from './src/results/overview.ts';
import { reportAgain, runExperiment } from './src/run-experiment.ts';
import { experiments, studies } from './studies.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());

try {
  const argv = process.argv.slice(2);
  const flags = experimentFlags(argv, { known: experiments.map(({ id }) => id), env: process.env });
  const startedAt = performance.now();
  for (const experiment of experiments) {
    if (!flags.ids.includes(experiment.id)) continue;
    if (flags.report) {
      await reportAgain<never>(experiment as never);
      publishOverview(studies);
      continue;
    }
    const { folder, lines } = await runExperiment<never>(experiment as never, {
      quick: flags.quick,
      databaseUrl: flags.databaseUrl,
      command: `pnpm experiments ${experiment.id}${flags.quick ? ' --quick' : ''}`,
      signal: stop.signal,
    });
    console.log(`\n# ${experiment.id} ${experiment.question}\n\n${lines.join('\n')}\n`);
    console.log(`written to ${fileURLToPath(folder)}`);
    if (!flags.quick) publishOverview(studies);
  }
  console.log(`done in ${((performance.now() - startedAt) / 60_000).toFixed(1)} min`);
} catch (error) {
  if (stop.signal.aborted) {
    process.exitCode = 130;
  } else {
    const code = exitCodeOf(error);
    if (code === undefined) console.error(error);
    process.exitCode = code ?? 1;
  }
}
