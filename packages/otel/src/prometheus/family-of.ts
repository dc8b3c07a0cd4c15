import type { Figure } from '../figures.ts';
import type {
  Buckets,
  Distribution,
  HistogramFamily,
  Labels,
  Point,
  SingleFamily,
} from './family.ts';
import { prometheusName } from './prometheus-name.ts';

/** Figure with one value per series. */
export type SingleFigure = Figure & { readonly kind: Exclude<Figure['kind'], 'histogram'> };
/** Figure that is a histogram. */
export type HistogramFigure = Figure & { readonly kind: 'histogram' };

/**
 * Returns the family of a figure. Points of equal labels are added: several instances may have one name.
 *
 * @example
 * const tasks = familyOf(figures.dispatchTasks, (stats: DispatcherStats) => [{ labels: { pool: stats.name }, value: stats.completed }]);
 */
export function familyOf<Source>(
  figure: SingleFigure,
  read: (source: Source) => readonly Point[],
): SingleFamily<Source> {
  return {
    name: prometheusName(figure),
    help: figure.help,
    type: figure.kind === 'counter' ? 'counter' : 'gauge',
    points: (source) =>
      merged(read(source), (one, other) => ({
        labels: one.labels,
        value: one.value + other.value,
      })),
  };
}

/** Returns the family of a figure that is a histogram, in the unit of the figure. Histograms of equal labels are added. */
export function histogramOf<Source>(
  figure: HistogramFigure,
  read: (source: Source) => readonly Distribution[],
): HistogramFamily<Source> {
  return {
    name: prometheusName(figure),
    help: figure.help,
    type: 'histogram',
    distributions: (source) =>
      merged(read(source), (one, other) => ({
        labels: one.labels,
        buckets: sumOf(one.buckets, other.buckets),
      })),
  };
}

function merged<Series extends { readonly labels: Labels }>(
  series: readonly Series[],
  add: (one: Series, other: Series) => Series,
): readonly Series[] {
  const byLabels = new Map<string, Series>();
  for (const each of series) {
    const key = JSON.stringify(each.labels);
    const known = byLabels.get(key);
    byLabels.set(key, known === undefined ? each : add(known, each));
  }
  return [...byLabels.values()];
}

/** Histograms of the libraries have the same bounds for one figure. */
function sumOf(one: Buckets, other: Buckets): Buckets {
  return {
    le: one.le,
    counts: one.counts.map((count, at) => count + (other.counts[at] ?? 0)),
    sum: one.sum + other.sum,
  };
}
