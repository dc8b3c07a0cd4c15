// Measures, and writes the tables between the marks in README.md. `--rounds 10` for a quick look.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchBatch } from './batch.ts';
import { benchCoalescer } from './coalescer.ts';
import { table } from './table.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '60' } } });
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) {
  throw new RangeError(`Cannot measure: rounds must be a positive integer, got ${values.rounds}`);
}

const coalescer = await benchCoalescer(rounds);
const batch = await benchBatch(rounds);
const lines = [
  `${availableParallelism()} cores, ${cpus()[0]?.model.trim()}, Node ${process.version}, ` +
    `${new Date().toISOString().slice(0, 10)}, \`pnpm --filter @ticketing/batching bench\`, ` +
    `${rounds} interleaved rounds, medians.`,
  '',
  ...table([
    ['', 'join in flight', 'lone miss', 'bytes a key in flight', 'bytes a waiter'],
    ...coalescer.map((row) => [
      row.name,
      `${row.joinNs.toPrecision(3)} ns (${row.joinRatio.toFixed(2)}x)`,
      `${Math.round(row.missNs)} ns (${row.missRatio.toFixed(2)}x)`,
      String(Math.round(row.keyBytes)),
      String(Math.round(row.waiterBytes)),
    ]),
  ]),
  '',
  "The batch loaders, as dataloader's time divided by theirs; above 1 is faster:",
  '',
  ...table([
    ['', ...batch.map(({ title }) => title)],
    ...(batch[0]?.measured ?? []).map(({ name }) => [
      name,
      ...batch.map(({ measured }) => {
        const found = measured.find((each) => each.name === name);
        return found
          ? `${Math.round(found.medianUs).toLocaleString('en')} µs (${found.ratio.toFixed(2)}x)`
          : '';
      }),
    ]),
  ]),
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
