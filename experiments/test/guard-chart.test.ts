import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { guardChart } from '../src/results/guard-chart.ts';

const page = readFileSync(new URL('../../docs/measurements/guard.md', import.meta.url), 'utf8');

test('the chart of the guard has each trouble of the page with and without it, in three panels', () => {
  const { values } = guardChart(page);
  expect(new Set(values.map(({ panel }) => panel)).size).toBe(3);
  for (const trouble of ['hangs', 'fails', '429, 5 s']) {
    const series = values.filter(({ x }) => x === trouble).map((value) => value.series);
    expect(new Set(series)).toEqual(new Set(['without', 'with the guard']));
  }
  expect(values.every(({ y }) => Number.isFinite(y))).toBe(true);
});

test('a page without the table is refused', () => {
  expect(() => guardChart('<!-- bench -->\n| a |\n| - |\n\n')).toThrow('no such table');
});
