import { once } from 'node:events';
import { AggregatorRegistry as ProjectAggregator } from '@prometheus-io/client';
import { hasPromtool, promtool, until } from '@ticketing/test-kit';
import { Counter, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { MetricsAggregator } from '../../src/index.ts';
import { checkClustersAfterEach } from '../cluster-fixture.ts';
import { type MetricsTasks, startMeasured, valueIn, workersIn } from '../metrics-cases.ts';

checkClustersAfterEach();

test('text() adds the metrics of all workers and of the primary; a reload and a kill lose no count', async () => {
  const registry = new Registry();
  new Counter({ name: 'own_total', help: 'Own', registers: [registry] }).inc(5);
  const { supervisor, metrics } = await startMeasured({}, { registry });
  const dispatcher = supervisor.dispatcher<MetricsTasks>();
  await supervisor.broadcast<MetricsTasks, 'count'>('count', 3);
  const text = await metrics.text();
  expect(valueIn(text, 'requests_total')).toBe(6);
  expect(valueIn(text, 'workers')).toBe(2);
  expect(valueIn(text, 'own_total')).toBe(5);
  expect(workersIn(text)).toEqual([2, 0, 0]);
  expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  if (hasPromtool()) expect(await promtool(['check', 'metrics'], text)).toBe('');

  // Counted after the last collection: an ended worker sends its metrics once more.
  await dispatcher.run('count', 10);
  await supervisor.reload();
  await until(() => metrics.stats().ended === 2);
  const reloaded = await metrics.text();
  expect(valueIn(reloaded, 'requests_total')).toBe(16);
  expect(valueIn(reloaded, 'workers')).toBe(2);
  expect(metrics.stats()).toMatchObject({ ended: 2, silent: 0, failed: 0, droppedSeries: 0 });

  await supervisor.broadcast<MetricsTasks, 'count'>('count', 100);
  expect(valueIn(await metrics.text(), 'requests_total')).toBe(216);
  const [victim] = supervisor.workers;
  const replaced = once(supervisor.events, 'worker-ready');
  process.kill(victim?.pid as number, 'SIGKILL');
  await replaced;
  await until(() => metrics.stats().ended === 3);
  const after = await metrics.text();
  expect(valueIn(after, 'requests_total')).toBe(216);
  expect(workersIn(after)).toEqual([2, 0, 0]);
});

test('workers may use the other client of Prometheus', async () => {
  const env = { ...process.env, CLIENT: '@prometheus-io/client' };
  const { supervisor, metrics } = await startMeasured(
    { env },
    { aggregator: ProjectAggregator as MetricsAggregator },
  );
  await supervisor.broadcast<MetricsTasks, 'count'>('count', 3);
  expect(valueIn(await metrics.text(), 'requests_total')).toBe(6);
});
