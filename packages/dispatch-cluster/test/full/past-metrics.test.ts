import fc from 'fast-check';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { Metric, MetricValue } from '../../src/metrics/metric.ts';
import { growingOf } from '../../src/metrics/metric.ts';
import { PastMetrics } from '../../src/metrics/past-metrics.ts';

const value = (number: number, labels: MetricValue['labels'] = {}, metricName?: string) => ({
  value: number,
  labels,
  metricName,
});

test('growingOf() has counters, histograms, and sum and count of summaries', () => {
  const metrics: Metric[] = [
    { name: 'c', help: '', type: 'counter', aggregator: 'sum', values: [value(1)] },
    { name: 'm', help: '', type: 'counter', aggregator: 'max', values: [value(1)] },
    { name: 'g', help: '', type: 'gauge', aggregator: 'sum', values: [value(1)] },
    { name: 'h', help: '', type: 'histogram', values: [value(1, { le: 1 }, 'h_bucket')] },
    {
      ...{ name: 's', help: '', type: 'summary' },
      values: [value(1, { quantile: 0.5 }), value(1, {}, 's_sum'), value(1, {}, 's_count')],
    },
  ];
  expect(growingOf(metrics).map(({ name, values }) => [name, values.length])).toEqual([
    ['c', 1],
    ['h', 1],
    ['s', 2],
  ]);
});

const labels = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('x', 'y'), {
  noNullPrototype: true,
});
const metric = fc
  .record({
    name: fc.constantFrom('one', 'two'),
    values: fc.uniqueArray(fc.record({ value: fc.nat(), labels }), {
      selector: (each) => JSON.stringify(Object.entries(each.labels).sort()),
    }),
  })
  .map(
    ({ name, values }): Metric => ({
      ...{ name, help: name, type: 'counter', aggregator: 'sum' },
      values,
    }),
  );
const worker = fc.uniqueArray(metric, { selector: ({ name }) => name });

/** Returns the lines of the sums of several workers, by prom-client. */
async function sums(workers: readonly (readonly Metric[])[]): Promise<string[]> {
  const registry: Registry = AggregatorRegistry.aggregate([...workers]);
  return (await registry.metrics())
    .split('\n')
    .filter((line) => /^\w/.test(line))
    .sort();
}

test('the sums of past and living workers are the sums of all workers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(worker), fc.array(worker), async (ended, living) => {
      const past = new PastMetrics();
      for (const metrics of ended) past.add(metrics);
      expect(await sums([past.metrics(), ...living])).toEqual(await sums([...ended, ...living]));
    }),
  );
});

test('series beyond the bound are counted and not kept; kept series still grow', () => {
  const past = new PastMetrics(2);
  const of = (...ids: string[]): Metric => ({
    ...{ name: 'c', help: '', type: 'counter' },
    values: ids.map((id) => value(1, { id })),
  });
  past.add([of('a', 'b', 'c')]);
  past.add([of('b', 'c')]);
  expect(past.metrics()).toMatchObject([
    {
      values: [value(1, { id: 'a' }), value(2, { id: 'b' })].map(
        ({ metricName: _, ...rest }) => rest,
      ),
    },
  ]);
  expect(past.dropped).toBe(2);
});
