import uPlot from 'uplot';
import type { OperatorView } from '../../../figures/view-schema.ts';
import type { Rates } from '../../../trends/rates.ts';
import { clockTime } from '../dom/show.ts';
import { dashOf, MOST_LINES } from './line-dash.ts';

/** The charts of a page: two minutes of what the tables say. */
export interface Charts {
  /** Notes the figures of a view. Draws nothing. */
  add(view: OperatorView, rates: Rates): void;
  draw(): void;
}

/** Returns the lines of a chart by their labels. */
type Lines = (
  view: OperatorView,
  rates: Rates,
) => readonly (readonly [string, number | undefined])[];

const POINTS = 120;
const HEIGHT = 160;

/** By title, as the page has them. */
const charts: Readonly<Record<string, { readonly unit: string; readonly lines: Lines }>> = {
  'Requests per second': {
    unit: '',
    lines: (_, rates) => [
      ['requests', rates.perSecond('http')],
      ['errors', rates.perSecond('errors')],
    ],
  },
  'Time to answer': {
    unit: 'ms',
    lines: (_, rates) => [
      ['p50', rates.quantile('http', 0.5)],
      ['p99', rates.quantile('http', 0.99)],
    ],
  },
  Busy: {
    unit: '%',
    lines: ({ processes }) =>
      processes.map(({ id, utilisation }) => [id, utilisation && utilisation * 100]),
  },
  Late: {
    unit: 'ms',
    lines: ({ processes }) => processes.map(({ id, loopP99Ms }) => [id, loopP99Ms]),
  },
  Tasks: {
    unit: '',
    lines: ({ pools }) => [
      ['running', sum(pools.map(({ running }) => running))],
      ['queued', sum(pools.map(({ queued }) => queued))],
    ],
  },
  'Questions per second': {
    unit: '',
    lines: (_, rates) => [
      ['asked', rates.perSecond('asked')],
      ['led', rates.perSecond('led')],
    ],
  },
  Connections: {
    unit: '',
    lines: ({ router }) =>
      (router?.workers ?? []).map(({ slot, open }) => [`server-${slot}`, open]),
  },
  'Time of carriers, p99': {
    unit: 'ms',
    lines: ({ carriers }, rates) =>
      [...new Set(carriers.map(({ id }) => id))].map((id) => [
        id,
        rates.quantile(`carrier ${id}`, 0.99),
      ]),
  },
};

interface Drawn {
  readonly host: HTMLElement;
  readonly unit: string;
  readonly lines: Lines;
  history: Map<string, (number | null)[]>;
  /** The labels that `plot` has. */
  labels: string;
  plot?: uPlot;
}

/** Finds the places of the charts on the page. Their cursors move together. */
export function createCharts(page: ParentNode): Charts {
  let times: number[] = [];
  const all: Drawn[] = [...page.querySelectorAll<HTMLElement>('[data-chart]')].flatMap((host) => {
    const chart = charts[host.dataset['chart'] ?? ''];
    return chart === undefined ? [] : [{ host, ...chart, history: new Map(), labels: '' }];
  });

  function drawOne(chart: Drawn): void {
    const labels = [...chart.history.keys()];
    const data: uPlot.AlignedData = [times, ...chart.history.values()];
    if (chart.plot !== undefined && chart.labels === labels.join()) {
      chart.plot.setData(data);
      return;
    }
    chart.plot?.destroy();
    chart.labels = labels.join();
    const width = chart.host.clientWidth;
    chart.plot = new uPlot(optionsOf(chart, { labels, width }), data, chart.host);
  }

  const redraw = (): void => {
    for (const chart of all) {
      chart.plot?.destroy();
      delete chart.plot;
      if (times.length > 0) drawOne(chart);
    }
  };
  // Colours are read when a chart is made.
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const chart = all.find(({ host }) => host === target);
      chart?.plot?.setSize({ width: chart.host.clientWidth, height: HEIGHT });
    }
  });
  for (const { host } of all) sizes.observe(host);

  return {
    add(view, rates) {
      times = [...times, view.at / 1000].slice(-POINTS);
      for (const chart of all) {
        const lines = new Map(chart.lines(view, rates).slice(0, MOST_LINES));
        // A line that has ended goes when its last figure does.
        const labels = new Set([...chart.history.keys(), ...lines.keys()]);
        const history = [...labels].map((label) => {
          const before = chart.history.get(label) ?? times.slice(1).map(() => null);
          const values = [...before, lines.get(label) ?? null].slice(-POINTS);
          return [label, values] as const;
        });
        chart.history = new Map(
          history.filter(([label, values]) => lines.has(label) || values.some((v) => v !== null)),
        );
      }
    },
    draw() {
      for (const chart of all) drawOne(chart);
    },
  };
}

function optionsOf(
  { host, unit }: Drawn,
  { labels, width }: { readonly labels: readonly string[]; readonly width: number },
): uPlot.Options {
  const axis = { stroke: ink(host, 'axis'), grid: { stroke: ink(host, 'grid'), width: 1 } };
  return {
    width,
    height: HEIGHT,
    cursor: { sync: { key: 'operator' }, drag: { x: false, y: false } },
    // Two minutes, so that nothing moves but the lines.
    scales: {
      x: { range: (_, __, latest) => [latest - POINTS, latest] },
      y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] },
    },
    axes: [
      {
        ...axis,
        space: 90,
        values: (_, ticks) => ticks.map((tick) => clockTime(tick * 1000)),
      },
      { ...axis, size: 75, values: (_, ticks) => ticks.map((tick) => `${tick} ${unit}`.trim()) },
    ],
    series: [
      { label: 'at' },
      ...labels.map((label, at) => ({
        label,
        stroke: ink(host, `ink-${at}`),
        dash: [...dashOf(at)],
        width: 1.5,
        points: { show: false },
        value: (_: uPlot, value: number | null) =>
          value === null ? '–' : `${value.toFixed(1)} ${unit}`,
      })),
    ],
  };
}

/** Returns a colour of the style sheet as it is now: a canvas knows no variables. */
function ink(host: HTMLElement, name: string): string {
  const probe = document.createElement('i');
  probe.className = name;
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}
