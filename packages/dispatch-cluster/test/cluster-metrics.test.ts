import { EventEmitter } from 'node:events';
import { serialize } from 'node:v8';
import { AggregatorRegistry, Counter, Registry } from 'prom-client';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type ClusterMetricsOptions, clusterMetrics, type Supervisor } from '../src/index.ts';
import type { Metric } from '../src/metrics/metric.ts';
import { type MetricsRequest, metricsMessage } from '../src/metrics/metrics-messages.ts';
import { valueIn, workersIn } from './metrics-cases.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** A worker's process, played by the test. */
class SimulatedChild extends EventEmitter {
  connected = true;
  readonly asked: MetricsRequest[] = [];

  send(message: MetricsRequest): boolean {
    this.asked.push(message);
    return true;
  }

  /** Sends these metrics as the answer to the latest request. */
  answer(metrics: readonly Metric[] | undefined): void {
    const bytes = metrics && serialize(metrics);
    this.emit('message', { ...metricsMessage, id: this.asked.at(-1)?.id, bytes });
  }

  end(): void {
    this.connected = false;
    this.emit('disconnect');
  }
}

const requests = (value: number): readonly Metric[] => [
  {
    ...{ name: 'requests_total', help: 'Requests', type: 'counter', aggregator: 'sum' },
    values: [{ value, labels: {} }],
  },
  {
    ...{ name: 'workers', help: 'Workers', type: 'gauge', aggregator: 'sum' },
    values: [{ value: 1, labels: {} }],
  },
];

function collect(count: number, options: Partial<ClusterMetricsOptions> = {}) {
  const children = Array.from({ length: count }, () => new SimulatedChild());
  const workers = children.map((process, at) => ({ workerId: at + 1, state: 'ready', process }));
  const events = new EventEmitter();
  const metrics = clusterMetrics({ workers, events } as unknown as Supervisor, {
    aggregator: AggregatorRegistry,
    timeoutMs: 500,
    ...options,
  });
  onTestFinished(() => metrics.close());
  return {
    metrics,
    children,
    events,
    start(): SimulatedChild {
      const child = new SimulatedChild();
      workers.push({ workerId: workers.length + 1, state: 'ready', process: child });
      events.emit('worker-ready', { workerId: workers.length });
      return child;
    },
  };
}

test('a worker that does not answer in time has only its last counters in the text, and is counted', async () => {
  const { metrics, children } = collect(2);
  const first = metrics.text();
  children[0]?.answer(requests(1));
  children[1]?.answer(requests(10));
  expect(valueIn(await first, 'requests_total')).toBe(11);
  const second = metrics.text();
  children[0]?.answer(requests(2));
  await vi.advanceTimersByTimeAsync(499);
  await vi.advanceTimersByTimeAsync(1);
  const text = await second;
  expect(valueIn(text, 'requests_total')).toBe(12);
  expect(valueIn(text, 'workers')).toBe(1);
  expect(workersIn(text)).toEqual([1, 1, 0]);
  // What comes late is known from then on.
  children[1]?.answer(requests(20));
  const third = metrics.text();
  children[0]?.answer(requests(2));
  await vi.advanceTimersByTimeAsync(500);
  expect(valueIn(await third, 'requests_total')).toBe(22);
  expect(metrics.stats()).toEqual({
    answered: 4,
    silent: 2,
    failed: 0,
    ended: 0,
    droppedSeries: 0,
  });
});

test('a worker whose metrics cannot be read is counted as failed at once', async () => {
  const { metrics, children } = collect(2);
  const text = metrics.text();
  children[0]?.answer(undefined);
  children[1]?.answer(requests(10));
  expect(workersIn(await text)).toEqual([1, 0, 1]);
  expect(valueIn(await text, 'requests_total')).toBe(10);
});

test('a worker that ends while it is asked has its last counters in the text, then and later', async () => {
  const { metrics, children, start } = collect(1);
  const [child] = children;
  child?.answer(requests(5));
  const text = metrics.text();
  child?.answer(requests(7));
  child?.end();
  expect(valueIn(await text, 'requests_total')).toBe(7);
  const successor = start();
  const later = metrics.text();
  successor.answer(requests(1));
  expect(valueIn(await later, 'requests_total')).toBe(8);
  expect(valueIn(await later, 'workers')).toBe(1);
  expect(metrics.stats()).toMatchObject({ ended: 1 });
});

test('a worker that ends without an answer does not delay the text', async () => {
  const { metrics, children } = collect(1);
  const text = metrics.text();
  children[0]?.end();
  expect(workersIn(await text)).toEqual([0, 1, 0]);
});

test('concurrent calls share one collection; a later call collects again', async () => {
  const { metrics, children } = collect(1);
  const [child] = children;
  const both = [metrics.text(), metrics.text()];
  // The first request is that of its start.
  expect(child?.asked).toHaveLength(2);
  expect(child?.asked.at(-1)).toMatchObject({ maxBytes: 4 * 1024 ** 2 });
  child?.answer(requests(1));
  const [one, other] = await Promise.all(both);
  expect(one).toBe(other);
  const later = metrics.text();
  expect(child?.asked).toHaveLength(3);
  child?.answer(requests(2));
  expect(valueIn(await later, 'requests_total')).toBe(2);
});

test('without workers the text has the metrics of the primary', async () => {
  const registry = new Registry();
  new Counter({ name: 'own_total', help: 'Own', registers: [registry] }).inc();
  const { metrics } = collect(0, { registry });
  const text = await metrics.text();
  expect(valueIn(text, 'own_total')).toBe(1);
});

test('a failing registry of the primary rejects the call, and the next call collects again', async () => {
  const getMetricsAsJSON = vi.fn(async () => [] as object[]);
  getMetricsAsJSON.mockRejectedValueOnce(new Error('as planned'));
  const { metrics } = collect(0, { registry: { getMetricsAsJSON } });
  await expect(metrics.text()).rejects.toThrow('as planned');
  expect(workersIn(await metrics.text())).toEqual([0, 0, 0]);
});

test('close() leaves no listener and no pending wait', async () => {
  const { metrics, children, events } = collect(2);
  const text = metrics.text();
  await metrics.close();
  await metrics.close();
  expect(workersIn(await text)).toEqual([0, 2, 0]);
  expect(events.eventNames()).toEqual([]);
  expect(children.map((child) => child.eventNames())).toEqual([[], []]);
});
