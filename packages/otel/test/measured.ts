import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { onTestFinished } from 'vitest';
import { instrumentTicketing } from '../src/index.ts';
import { type Figure, figures, prometheusName } from '../src/prometheus/index.ts';

/** What was measured, by name: attributes and sums, or how often for a histogram. */
type Points = Record<string, Record<string, unknown>[]>;

interface Measured {
  (): Promise<Points>;
  /** Sums, and how often for a histogram, by series as Prometheus has them. */
  series(): Promise<ReadonlyMap<string, number>>;
}

/** Measures the libraries by the SDK of OpenTelemetry until the test ends. */
export function measure(): Measured {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  // Exports when it is flushed, and not by itself while the test runs.
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
  const provider = new MeterProvider({ readers: [reader] });
  const instrumentation = instrumentTicketing({ meterProvider: provider });
  onTestFinished(async () => {
    instrumentation.close();
    await provider.shutdown();
  });
  async function points(): Promise<Points> {
    await provider.forceFlush();
    const scopes = exporter.getMetrics().at(-1)?.scopeMetrics ?? [];
    const measured: Points = {};
    for (const { descriptor, dataPoints } of scopes.flatMap(({ metrics }) => metrics)) {
      measured[descriptor.name] = dataPoints.map(({ attributes, value }) => ({
        ...attributes,
        value: typeof value === 'object' && 'count' in value ? value.count : value,
      }));
    }
    return measured;
  }
  return Object.assign(points, {
    async series() {
      const sums = new Map<string, number>();
      for (const [name, measured] of Object.entries(await points())) {
        for (const point of measured) {
          const series = seriesName(name, point);
          // Points that differ in `error.type` alone are one series.
          sums.set(series, (sums.get(series) ?? 0) + Number(point['value']));
        }
      }
      return sums;
    },
  });
}

/** Returns the name of the series that a point is in Prometheus. @throws Error for a name that is not in the table */
function seriesName(name: string, attributes: Readonly<Record<string, unknown>>): string {
  const row: Figure | undefined = Object.values(figures).find((each) => each.name === name);
  if (row === undefined) throw new Error(`Not in the table of figures: ${name}`);
  const ending = row.kind === 'histogram' ? '_count' : '';
  const labels = Object.entries(row.labels).map(
    ([label, attribute]) => `${label}="${attributes[attribute]}"`,
  );
  const set = labels.length === 0 ? '' : `{${labels.join(',')}}`;
  return `${prometheusName(row)}${ending}${set}`;
}

/** Returns the values of a text for Prometheus by series. */
export function seriesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => /^\w/.test(line));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end))];
    }),
  );
}
