// Measures, and writes the tables between the marks in docs/measurements. `--quick` for a look.
import {
  benchFlags,
  circumstances,
  type Measured,
  report,
  table,
  times,
} from '@ticketing/bench-kit';
import { benchCombine } from './combine.ts';
import { benchLocalTime } from './local-time.ts';
import { benchScatter } from './scatter.ts';

const flags = benchFlags({ rounds: 200 });

type Cases = readonly { readonly title: string; readonly measured: readonly Measured[] }[];

/** One row a contender, one column a case. */
function tableOf(cases: Cases): string[] {
  const names = cases[0]?.measured.map(({ name }) => name) ?? [];
  return table([
    ['', ...cases.map(({ title }) => title)],
    ...names.map((name, row) => [
      name,
      ...cases.map(({ measured }) => cell(measured[row] as Measured)),
    ]),
  ]);
}

function cell({ medianUs, ratio }: Measured): string {
  return `${medianUs.toPrecision(3)} µs (${times(ratio)})`;
}

const scatter = await benchScatter(flags.rounds);
const combine = await benchCombine(flags.rounds, [50, 500, 5000]);
const localTime = await benchLocalTime(flags.rounds);
report(
  new URL('../../../docs/measurements/core.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/core bench', flags),
    '',
    ...tableOf(scatter),
    '',
    ...tableOf(combine),
    '',
    ...tableOf(localTime),
  ],
  flags,
);
