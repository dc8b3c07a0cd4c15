import { growingOf, type Metric, type MetricValue } from './metric.ts';

/** Most series of ended workers that are kept: labels of each worker would add up for ever. */
const MAX_SERIES = 20_000;

interface PastMetric {
  readonly metric: Metric;
  readonly values: Map<string, MetricValue>;
}

/** Sums of the counters of workers that have ended: without them, a sum over all workers would go down. */
export class PastMetrics {
  readonly #metrics = new Map<string, PastMetric>();
  readonly #maxSeries: number;
  #series = 0;
  /** Series that were not kept, because there were too many. */
  dropped = 0;

  constructor(maxSeries: number = MAX_SERIES) {
    this.#maxSeries = maxSeries;
  }

  /** Adds the last counters of a worker. */
  add(metrics: readonly Metric[]): void {
    for (const metric of growingOf(metrics)) {
      let past = this.#metrics.get(metric.name);
      if (past === undefined) {
        past = { metric, values: new Map() };
        this.#metrics.set(metric.name, past);
      }
      for (const value of metric.values) this.#addValue(past, value);
    }
  }

  /** Returns the sums, as the metrics of one more worker. */
  metrics(): readonly Metric[] {
    return [...this.#metrics.values()].map(({ metric, values }) => ({
      ...metric,
      values: [...values.values()],
    }));
  }

  #addValue({ values }: PastMetric, { value, labels, metricName }: MetricValue): void {
    const key = JSON.stringify([metricName, Object.entries(labels).sort()]);
    const known = values.get(key);
    if (known === undefined && this.#series >= this.#maxSeries) {
      this.dropped += 1;
      return;
    }
    if (known === undefined) this.#series += 1;
    const series = known ?? { labels, value: 0, ...(metricName !== undefined && { metricName }) };
    values.set(key, { ...series, value: series.value + value });
  }
}
