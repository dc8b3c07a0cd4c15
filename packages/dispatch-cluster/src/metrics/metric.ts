/** Value of one series, as `getMetricsAsJSON()` of prom-client has it. */
export interface MetricValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Name of the series, if it is not that of the metric: `_bucket`, `_sum`, `_count`. */
  readonly metricName?: string | undefined;
}

/** Metric with its series, as `getMetricsAsJSON()` of prom-client has it. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  /** Way in which values of several processes become one. Default `sum`. */
  readonly aggregator?: string | undefined;
  readonly values: readonly MetricValue[];
}

/** Registry of prom-client or @prometheus-io/client. */
export interface MetricsRegistry {
  getMetricsAsJSON(): PromiseLike<readonly object[]>;
}

/** Maker of one registry from the metrics of several: `AggregatorRegistry` of prom-client and of @prometheus-io/client. */
export interface MetricsAggregator {
  aggregate(metrics: object[]): { readonly contentType: string; metrics(): PromiseLike<string> };
}

/**
 * Returns the metrics that only grow: counters, histograms, and sum and count of summaries. A value of a gauge, or a quantile,
 * means nothing once its process has ended.
 */
export function growingOf(metrics: readonly Metric[]): readonly Metric[] {
  return metrics.flatMap((metric) => {
    const { type, aggregator = 'sum', values } = metric;
    if (aggregator !== 'sum') return [];
    if (type === 'counter' || type === 'histogram') return [metric];
    if (type !== 'summary') return [];
    return [{ ...metric, values: values.filter(({ metricName }) => metricName !== undefined) }];
  });
}
