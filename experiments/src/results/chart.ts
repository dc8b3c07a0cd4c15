import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** A chart. */
export interface ChartSpec {
  readonly title: string;
  readonly values: readonly ChartValue[];
  readonly x: string;
  readonly y: string;
  /** `bar`: names along x, series side by side. `line`: numbers along x. */
  readonly mark: 'bar' | 'line';
  /** True for numbers that differ by orders of magnitude. */
  readonly logarithmic?: boolean;
  /** True for numbers along x that do. */
  readonly logarithmicX?: boolean;
  /** True if panels share the scale of y. Default: false. */
  readonly sharedScale?: boolean;
}

/** One number. */
export interface ChartValue {
  readonly x: string | number;
  readonly y: number;
  readonly series: string;
  /** Panels are drawn below one another. */
  readonly panel?: string;
}

const PANEL = { width: 560, height: 150 };

/** Renders SVG, without a browser. */
export async function renderSvg(chart: ChartSpec): Promise<string> {
  const { spec } = compile(vegaLite(chart));
  const view = new View(parse(spec), { renderer: 'none' });
  const svg = await view.toSVG();
  view.finalize();
  return `${svg}\n`;
}

function vegaLite(chart: ChartSpec): TopLevelSpec {
  const { title, values, mark, logarithmic = false, logarithmicX = false } = chart;
  const finite = values.filter(
    ({ x, y }) => Number.isFinite(y) && (!logarithmic || y > 0) && (!logarithmicX || Number(x) > 0),
  );
  const isBar = mark === 'bar';
  const series = [...new Set(values.map((value) => value.series))];
  const unit = {
    ...PANEL,
    mark: isBar ? ('bar' as const) : { type: 'line' as const, point: finite.length < 200 },
    encoding: {
      x: {
        field: 'x',
        type: isBar ? ('nominal' as const) : ('quantitative' as const),
        title: chart.x,
        sort: null,
        ...(logarithmicX && { scale: { type: 'log' as const } }),
        axis: { labelAngle: 0, labelLimit: 200 },
      },
      ...(isBar && { xOffset: { field: 'series', sort: null } }),
      y: {
        field: 'y',
        type: 'quantitative' as const,
        title: chart.y,
        scale: logarithmic ? { type: 'log' as const } : { zero: true },
        // A logarithmic scale has no zero to stack from.
        ...(isBar && logarithmic && { stack: null }),
      },
      color: {
        field: 'series',
        type: 'nominal' as const,
        title: null,
        sort: null,
        scale: { domain: series, scheme: 'tableau10' as const },
        legend: { orient: 'bottom' as const, columns: 2, labelLimit: 0 },
      },
    },
  };
  const shared = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title,
    background: 'white',
    data: { values: finite.map((value) => ({ panel: '', ...value })) },
    config: { view: { stroke: 'transparent' } },
  };
  const panels = [...new Set(values.map(({ panel }) => panel))];
  if (panels.length < 2) return { ...shared, ...unit } as TopLevelSpec;
  return {
    ...shared,
    facet: {
      row: {
        field: 'panel',
        title: null,
        sort: panels,
        header: { labelAngle: 0, labelOrient: 'top', labelAnchor: 'start' },
      },
    },
    spec: unit,
    resolve: { scale: { y: chart.sharedScale ? 'shared' : 'independent' } },
  } as TopLevelSpec;
}
