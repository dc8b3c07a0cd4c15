import { three } from '@ticketing/bench-kit';
import type { ChartSpec } from '../results/chart.ts';
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
