import { styleText } from 'node:util';
import { median, table, three } from '@ticketing/bench-kit';
import { bar } from '@ticketing/cli-kit';
import type { ChartSpec } from '../results/chart.ts';
import { type BlockLine, sparkline } from './live-block.ts';
import { memoryOf } from './load-verdict.ts';
import type { LoadRow } from './run-load.ts';

const MIB = 2 ** 20;

/** Formats one second as a line of text. */
export function loadLine(row: LoadRow, seconds: number): string {
  const { second, sent, answered, failed, p50Ms, p99Ms, loopP99Ms } = row;
  return [
    `${String(second + 1).padStart(String(seconds).length)}/${seconds} s`,
    `sent ${sent}`,
    `answered ${answered}`,
    `failed ${failed}`,
    `p50 ${three(p50Ms)} ms`,
    `p99 ${three(p99Ms)} ms`,
    `loop ${three(loopP99Ms)} ms`,
    `memory ${three(memoryOf(row) / MIB)} MiB`,
    `${seconds - second - 1} s left`,
  ].join('  ');
}

/** Seconds that the sparklines show. */
const SPARK_SECONDS = 60;

/** Formats the seconds so far as a block that a terminal shows while the load runs. */
export function loadBlock(
  rows: readonly LoadRow[],
  { title, seconds }: { readonly title: string; readonly seconds: number },
): BlockLine[] {
  const last = rows.at(-1);
  const recent = rows.slice(-SPARK_SECONDS);
  const failed = rows.reduce((sum, row) => sum + row.failed, 0);
  const series = (name: string, unit: string, of: (row: LoadRow) => number): BlockLine => {
    const now = last === undefined ? '' : `${three(of(last))} ${unit}`;
    return { text: `${name.padEnd(12)}${now.padStart(12)}  ${sparkline(recent.map(of))}` };
  };
  const left = seconds - rows.length;
  return [
    { text: title },
    { text: `${bar(rows.length / seconds)}  ${rows.length}/${seconds} s  ${left} s left` },
    series('answered', '/s', (row) => row.answered),
    series('p50', 'ms', (row) => row.p50Ms),
    series('p99', 'ms', (row) => row.p99Ms),
    series('loop p99', 'ms', (row) => row.loopP99Ms),
    ...Object.keys(last?.memory ?? {}).map((name) =>
      series(name.slice(0, 11), 'MiB', ({ memory }) => (memory[name] ?? Number.NaN) / MIB),
    ),
    failed === 0 ? { text: 'failed      none' } : { text: `failed      ${failed}`, style: red },
  ];
}

const red = (text: string): string => styleText('red', text, { stream: process.stdout });

/** Formats what all seconds had as a table: lowest, median and highest of a second. */
export function loadTable(rows: readonly LoadRow[]): string[] {
  const figures: [string, (row: LoadRow) => number][] = [
    ['sent/s', (row) => row.sent],
    ['answered/s', (row) => row.answered],
    ['failed/s', (row) => row.failed],
    ['p50, ms', (row) => row.p50Ms],
    ['p99, ms', (row) => row.p99Ms],
    ['event loop p99, ms', (row) => row.loopP99Ms],
    ['memory, MiB', (row) => memoryOf(row) / MIB],
  ];
  return table([
    ['', 'lowest', 'median', 'highest'],
    ...figures.map(([name, of]) => {
      const known = rows.map(of).filter(Number.isFinite);
      if (known.length === 0) return [name, 'unknown', '', ''];
      return [name, ...[Math.min(...known), median(known), Math.max(...known)].map(three)];
    }),
  ]);
}

/** Formats all seconds as CSV, with one column of memory per process. */
export function loadCsv(rows: readonly LoadRow[]): string {
  const processes = [...new Set(rows.flatMap(({ memory }) => Object.keys(memory)))];
  const head = ['second', 'sent', 'answered', 'failed', 'p50Ms', 'p99Ms', 'loopP99Ms'];
  const number = (value: number | undefined): string =>
    value === undefined || !Number.isFinite(value) ? '' : String(Math.round(value * 100) / 100);
  const lines = rows.map((row) => {
    const { second, sent, answered, failed, p50Ms, p99Ms, loopP99Ms, memory } = row;
    const own = [second, sent, answered, failed, p50Ms, p99Ms, loopP99Ms];
    return [...own, ...processes.map((name) => memory[name])].map(number).join(',');
  });
  const names = processes.map((name) => `${name} bytes`);
  return `${[[...head, ...names].join(','), ...lines].join('\n')}\n`;
}

/** Charts requests, latency, event loop and memory in panels. */
export function loadChart(rows: readonly LoadRow[], title: string): ChartSpec {
  const series = (panel: string, name: string, of: (row: LoadRow) => number | undefined) =>
    rows.flatMap((row) => {
      const y = of(row);
      return y === undefined ? [] : [{ x: row.second, y, series: name, panel }];
    });
  const processes = [...new Set(rows.flatMap(({ memory }) => Object.keys(memory)))];
  return {
    title,
    mark: 'line',
    x: 'second',
    y: '',
    values: [
      ...series('requests/s', 'answered', ({ answered }) => answered),
      ...series('requests/s', 'failed', ({ failed }) => failed),
      ...series('latency, ms', 'p50', ({ p50Ms }) => p50Ms),
      ...series('latency, ms', 'p99', ({ p99Ms }) => p99Ms),
      ...series(
        'event loop late (p99 of the latest process), ms',
        'event loop',
        (row) => row.loopP99Ms,
      ),
      ...processes.flatMap((name) =>
        series('memory, MiB', name, ({ memory }) => {
          const bytes = memory[name];
          return bytes === undefined ? undefined : bytes / MIB;
        }),
      ),
    ],
  };
}
