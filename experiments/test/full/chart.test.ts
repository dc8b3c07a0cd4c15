import { expect, test } from 'vitest';
import { renderSvg } from '../../src/results/chart.ts';

test.each(['bar', 'line'] as const)(
  'renderSvg() draws a %s chart with its title and series',
  async (mark) => {
    const values = [1, 2].flatMap((x) => [
      { x, y: x, series: 'ours', panel: 'above' },
      { x, y: 2 * x, series: 'theirs', panel: 'below' },
    ]);
    const svg = await renderSvg({ title: 'A chart', mark, x: 'clients', y: 'requests/s', values });
    expect(svg).toMatch(/^<svg /);
    for (const text of ['A chart', 'ours', 'theirs', 'above', 'below', 'clients']) {
      expect(svg).toContain(text);
    }
  },
);
