// Measures, and writes the tables between the marks in README.md. `--rounds 20` for a quick look.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchLocalTime } from './local-time.ts';
import type { Measured } from './rounds.ts';
import { benchScatter } from './scatter.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '200' } } });
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) {
  throw new RangeError(`Cannot measure: rounds must be a positive integer, got ${values.rounds}`);
}

type Cases = readonly { readonly title: string; readonly measured: readonly Measured[] }[];

/** One row a contender, one column a case. */
function table(cases: Cases): string[] {
  const [first] = cases;
  const body = (first?.measured ?? []).map(({ name }, row) => [
    name,
    ...cases.map(({ measured }) => cell(measured[row] as Measured)),
  ]);
  const rows = [['', ...cases.map(({ title }) => title)], ...body];
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const pad = (text: string, column: number): string => {
    const width = widths?.[column] ?? 0;
    return column === 0 ? text.padEnd(width) : text.padStart(width);
  };
  const rule =
    widths?.map((width, column) => (column === 0 ? '-' : ':').padStart(width, '-')) ?? [];
  const [head = '', ...rest] = rows.map((row) => line(row.map(pad)));
  return [head, line(rule), ...rest];
}

function cell({ medianUs, ratio }: Measured): string {
  return `${medianUs.toPrecision(3)} µs (${ratio.toFixed(2)}x)`;
}

const scatter = await benchScatter(rounds);
const localTime = await benchLocalTime(rounds);
const lines = [
  `${availableParallelism()} cores, ${cpus()[0]?.model.trim()}, Node ${process.version}, ` +
    `${new Date().toISOString().slice(0, 10)}, \`pnpm --filter @ticketing/core bench\`, ` +
    `${rounds} interleaved rounds.`,
  '',
  ...table(scatter),
  '',
  ...table(localTime),
];
process.stdout.write(`${lines.join('\n')}\n`);

const readme = new URL('../README.md', import.meta.url);
const text = readFileSync(readme, 'utf8');
const marks = /(<!-- bench -->\n)[\s\S]*?(<!-- \/bench -->)/;
if (!marks.test(text))
  throw new Error('Cannot write the table: marks in README.md expected, got none');
writeFileSync(
  readme,
  text.replace(marks, (_all, open, close) => `${open}${lines.join('\n')}\n${close}`),
);
