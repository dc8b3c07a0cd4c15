import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import type { Cell } from './cells.ts';
import { type Measured, type MeasureOptions, median, type Slice } from './measure.ts';
import { table } from './table.ts';

/** The machine, the day and the command: the first line of a report. */
export function circumstances({
  rounds,
  seconds,
  hasNginx,
}: MeasureOptions & { readonly hasNginx: boolean }): string {
  return (
    `${availableParallelism()} cores, ${cpus()[0]?.model.trim()}, Node ${process.version}, ` +
    `${new Date().toISOString().slice(0, 10)}, \`pnpm --filter @ticketing/socket-router bench\`: 4 workers, clients by ` +
    `autocannon on the same machine, ${rounds} interleaved rounds of ${seconds} s, medians; load average ${loadavg()[1]?.toFixed(0)}.` +
    (hasNginx ? '' : ' nginx was missing.')
  );
}

/** Requests a second with the ratio to the first contender; then latency and processor time. */
export function tables(
  cells: readonly Cell[],
  measured: readonly (readonly Measured[])[],
): string[] {
  const names = measured[0]?.map(({ name }) => name) ?? [];
  const rows = (show: (one: Measured, row: number) => string): string[][] =>
    names.map((name, row) => [name, ...measured.map((all) => show(all[row] as Measured, row))]);
  const head = ['', ...cells.map(({ title }) => title)];
  return [
    'Requests a second, and the ratio to node:cluster:',
    '',
    ...table([
      head,
      ...rows((one, row) => {
        const rate = three(middle(one, 'perSecond')) + failuresOf(one);
        return row === 0 ? rate : `${rate} (${one.ratio.toFixed(2)}x)`;
      }),
    ]),
    '',
    'Processor time of a request in master + workers, in ms; and the 99th percentile of latency, in ms:',
    '',
    ...table([
      head,
      ...rows((one) => {
        const [master, workers] = [middle(one, 'masterUs'), middle(one, 'workerUs')];
        return `${ms(master)} + ${ms(workers)}; ${Math.round(middle(one, 'p99Ms'))}`;
      }),
    ]),
  ];
}

/** Prints a report, and writes it between the marks in README.md if it is a whole one. */
export function report(lines: readonly string[], { isWritten }: { isWritten: boolean }): void {
  process.stdout.write(`${lines.join('\n')}\n`);
  if (!isWritten) return;
  const file = new URL('../README.md', import.meta.url);
  const text = readFileSync(file, 'utf8');
  const marks = /(<!-- bench -->\n)[\s\S]*?(<!-- \/bench -->)/;
  if (!marks.test(text)) throw new Error('Cannot write the report: marks in README.md expected');
  const replaced = text.replace(marks, (_, open, close) => `${open}${lines.join('\n')}\n${close}`);
  writeFileSync(file, replaced);
}

function middle({ slices }: Measured, what: keyof Slice): number {
  return median(slices.map((slice) => slice[what]));
}

/** Shown, since a contender that drops requests is not fast. */
function failuresOf({ slices }: Measured): string {
  const failures = slices.reduce((sum, slice) => sum + slice.failures, 0);
  return failures === 0 ? '' : ` [${failures} failed]`;
}

function three(value: number): string {
  if (value >= 999.5) return `${(value / 1000).toPrecision(3)}k`;
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}

function ms(us: number): string {
  return (us / 1000).toPrecision(2);
}
