import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import { type MeasuredColumn, measuredColumns } from './measured-cells.ts';

const drawn = new Map<string, Promise<string>>();

/** Returns an element that `fillCharts()` replaces with the charts of a table; the empty text if none of its columns is measured. */
export function placeForCharts(cells: readonly (readonly string[])[]): string {
  const columns = measuredColumns(cells);
  if (columns.length === 0) return '';
  const id = JSON.stringify(columns);
  drawn.set(id, drawn.get(id) ?? draw(columns));
  return `<chart-place>${Buffer.from(id).toString('base64')}</chart-place>\n`;
}

/** Resolves with the page, charts in their places: one of bars for each measured column. */
export async function fillCharts(html: string): Promise<string> {
  const parts = html.split(/<chart-place>(.*?)<\/chart-place>/);
  const filled = parts.map((part, index) =>
    index % 2 === 0 ? part : drawn.get(Buffer.from(part, 'base64').toString()),
  );
  return (await Promise.all(filled)).join('');
}

async function draw(columns: readonly MeasuredColumn[]): Promise<string> {
  const figures = await Promise.all(columns.map(figure));
  return `<div class="charts" v-pre>${figures.join('')}</div>`;
}

async function figure(column: MeasuredColumn): Promise<string> {
  const caption = `${column.title}${column.unit === '' ? '' : ` (${column.unit})`}`;
  const svg = await svgOf(column, caption);
  return `<figure role="img" aria-label="Chart: ${escaped(caption)}">${svg}</figure>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Returns a chart without sizes of its own: the page scales it. Its colours follow the page, light or dark. */
async function svgOf({ values }: MeasuredColumn, caption: string): Promise<string> {
  const positive = values.map(({ value }) => value).filter((value) => value > 0);
  const isWide = Math.max(...positive) / Math.min(...positive) > 100;
  const title = isWide ? `${caption}, logarithmic` : caption;
  const label = { field: 'label', type: 'nominal' as const, sort: null, title: null };
  const spec = compile({
    title: { text: title, anchor: 'start', limit: 330 },
    data: { values: values.map((each) => ({ ...each, label: shortened(each.label) })) },
    width: 170,
    height: { step: 20 },
    background: 'transparent',
    encoding: {
      y: { ...label, axis: { labelLimit: 160, ticks: false, domain: false, labelPadding: 6 } },
    },
    layer: [
      {
        mark: { type: 'bar', cornerRadiusEnd: 2, color: 'var(--chart-bar)' },
        encoding: {
          x: {
            field: 'value',
            type: 'quantitative',
            title: null,
            axis: null,
            // Bars of a logarithmic scale have no zero to begin at.
            scale: isWide ? { type: 'symlog', constant: Math.min(...positive) } : { zero: true },
          },
        },
      },
      {
        mark: { type: 'text', align: 'left', dx: 4, color: 'var(--chart-text)' },
        encoding: { x: { field: 'value', type: 'quantitative' }, text: { field: 'text' } },
      },
    ],
    config: {
      view: { stroke: null },
      font: 'var(--vp-font-family-base)',
      axis: { labelColor: 'var(--chart-text)', labelFontSize: 11 },
      title: { color: 'var(--chart-text)', fontSize: 12 },
      text: { fontSize: 11 },
    },
  } as TopLevelSpec).spec;
  const view = new View(parse(spec), { renderer: 'none' });
  const svg = await view.toSVG();
  view.finalize();
  return svg;
}

function shortened(label: string): string {
  return label.length > 60 ? `${label.slice(0, 59)}…` : label;
}
