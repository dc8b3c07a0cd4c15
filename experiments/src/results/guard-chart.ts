import type { ChartSpec } from './chart.ts';

/** Columns that are shown, below one another. */
const SHOWN = ['requests that reach it', 'p99 from 3 s on', 'complete answers after it'];
const WITHOUT = ', `--guard off`';

/**
 * Returns the chart of the page of the guard: each trouble with and without it, from the first table.
 *
 * @throws Error for a page without such a table
 */
export function guardChart(page: string): ChartSpec {
  const lines = page.split('<!-- bench -->')[1]?.trimStart().split('\n') ?? [];
  const end = lines.findIndex((line) => !line.startsWith('|'));
  const [head = [], , ...rows] = lines.slice(0, end).map(cellsOf);
  const columns = SHOWN.map((title) => ({ title, place: head.indexOf(title) }));
  if (rows.length === 0 || columns.some(({ place }) => place < 0)) {
    throw new Error('Cannot draw the guard: its page has no such table');
  }
  return {
    title: 'A carrier in trouble, without and with the guard',
    x: '',
    y: '',
    mark: 'bar',
    values: columns.flatMap(({ title, place }) =>
      rows.map(([name = '', ...others]) => ({
        x: name.replace(WITHOUT, ''),
        y: Number.parseFloat(others[place - 1] ?? ''),
        series: name.endsWith(WITHOUT) ? 'without' : 'with the guard',
        panel: `${title}, ${unitOf(others[place - 1])}`,
      })),
    ),
  };
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function unitOf(cell = ''): string {
  return cell.replace(/^[\d.]+ ?/, '') || 'requests';
}
