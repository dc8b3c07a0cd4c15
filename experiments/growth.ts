// `pnpm growth [--only TEXT] [--publish]`: how cost grows as work grows, with fitted exponents; fails if something grows too fast.
import { readFileSync, writeFileSync } from 'node:fs';
import { betweenMarks } from '@ticketing/bench-kit';
import { exitCodeOf } from '@ticketing/cli-kit';
import { type GrowthFlags, growthFlags } from './growth/growth-flags.ts';
import { boundOf, exponentTable, type SubjectGrowth, timesTable } from './growth/growth-report.ts';
import { measureGrowth } from './growth/measure-growth.ts';
import { SUBJECTS } from './growth/subjects/index.ts';
import { renderSvg } from './src/results/chart.ts';
import { circumstances, loadAverage, machineLine } from './src/results/circumstances.ts';

const page = new URL('../docs/measurements/growth.md', import.meta.url);
const chart = new URL('../docs/measurements/growth.svg', import.meta.url);

try {
  const argv = process.argv.slice(2);
  process.exitCode = await main(growthFlags(argv), ['pnpm growth', ...argv].join(' '));
} catch (error) {
  const code = exitCodeOf(error);
  if (code === undefined) console.error(error);
  process.exitCode = code ?? 1;
}

/** Gives the exit code: 1 if something grows faster than n log n without a reason. */
async function main(flags: GrowthFlags, command: string): Promise<number> {
  const { only = '', rounds, publish } = flags;
  const loadBefore = loadAverage();
  const grown: SubjectGrowth[] = [];
  for (const subject of SUBJECTS.filter(({ name }) => name.includes(only))) {
    grown.push({ subject, contenders: await measureGrowth(subject, flags) });
  }
  const made = circumstances(command, { rounds, loadBefore });
  const lines = [
    machineLine(made, `${rounds} interleaved rounds, medians.`),
    '',
    ...exponentTable(grown),
    ...grown.flatMap((each) => ['', ...timesTable(each)]),
  ];
  console.log(lines.join('\n'));
  if (publish) {
    const shown = ['![Times by size, in logarithms](growth.svg)', '', ...lines];
    const text = readFileSync(page, 'utf8');
    writeFileSync(page, betweenMarks(text, { name: 'growth', lines: shown }));
    writeFileSync(chart, await renderSvg(chartOf(grown)));
  }
  const fast = grown.filter((each) => boundOf(each) === undefined);
  for (const { subject } of fast) console.error(`${subject.name}: faster than n log n`);
  return fast.length === 0 ? 0 : 1;
}

function chartOf(grown: readonly SubjectGrowth[]) {
  return {
    title: 'Time of the work, milliseconds',
    x: 'size',
    y: 'ms',
    mark: 'line',
    logarithmic: true,
    logarithmicX: true,
    values: grown.flatMap(({ subject, contenders }) =>
      contenders.flatMap(({ name, points }, place) =>
        points.map(({ size, ms }) => ({
          ...{ x: size, y: ms, panel: `${subject.name}, by ${subject.of}` },
          series: place === 0 ? 'ours' : name.replaceAll('`', ''),
        })),
      ),
    ),
  } as const;
}
