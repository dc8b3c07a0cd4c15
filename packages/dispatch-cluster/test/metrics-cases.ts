import { AggregatorRegistry } from 'prom-client';
import { onTestFinished } from 'vitest';
import {
  type ClusterMetrics,
  type ClusterMetricsOptions,
  type ClusterOptions,
  clusterMetrics,
  type Supervisor,
} from '../src/index.ts';
import { start } from './cluster-fixture.ts';

/** Tasks of `fixtures/metrics-worker.ts`. */
export type MetricsTasks = {
  count(times: number): void;
};

/** Starts a cluster of workers with metrics, which are collected, and waits until it serves. */
export async function startMeasured(
  options: Partial<ClusterOptions> = {},
  collected: Partial<ClusterMetricsOptions> = {},
): Promise<{ readonly supervisor: Supervisor; readonly metrics: ClusterMetrics }> {
  const entry = new URL('fixtures/metrics-worker.ts', import.meta.url);
  const supervisor = start({ entry, workers: 2, ...options });
  const metrics = clusterMetrics(supervisor, {
    aggregator: AggregatorRegistry,
    timeoutMs: 30_000,
    ...collected,
  });
  onTestFinished(() => metrics.close());
  await supervisor.ready();
  return { supervisor, metrics };
}

/** Returns the value of a series; undefined if a text does not have it. */
export function valueIn(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

/** Returns the workers that answered, were silent and failed. */
export function workersIn(text: string): readonly (number | undefined)[] {
  return ['answered', 'silent', 'failed'].map((state) =>
    valueIn(text, `ticketing_cluster_metrics_workers{state="${state}"}`),
  );
}
