// `pnpm charts`: draws the charts of pages in docs/measurements from the tables beside them.
import { readFileSync, writeFileSync } from 'node:fs';
import { renderSvg } from './src/results/chart.ts';
import { guardChart } from './src/results/guard-chart.ts';

const page = new URL('../docs/measurements/guard.md', import.meta.url);
const chart = guardChart(readFileSync(page, 'utf8'));
writeFileSync(new URL('guard.svg', page), await renderSvg(chart));
