import type { ChildProcess } from 'node:child_process';
import {
  between,
  type Filled,
  MAX_TIMER_MS,
  type Rules,
  required,
  resolveByRules,
  wholeBetween,
  withMethods,
} from '@ticketing/kit';
import { isMessage } from '../is-message.ts';
import type { SupervisedWorker, Supervisor } from '../supervisor.ts';
import { growingOf, type Metric, type MetricsAggregator, type MetricsRegistry } from './metric.ts';
import {
  type MetricsMessage,
  type MetricsRequest,
  metricsMessage,
  metricsRequest,
  readMetrics,
} from './metrics-messages.ts';
import { PastMetrics } from './past-metrics.ts';

/** Options of `clusterMetrics`. */
export interface ClusterMetricsOptions {
  /** `AggregatorRegistry` of prom-client or of @prometheus-io/client. */
  readonly aggregator: MetricsAggregator;
  /** Registry of the primary, whose metrics are added to the metrics of the workers. Default: none. */
  readonly registry?: MetricsRegistry | undefined;
  /** Milliseconds that a worker has to answer, 1 to 2^31-1. Default 1000. */
  readonly timeoutMs?: number | undefined;
  /** Most bytes of the metrics of a worker, 1024 to 2^30. Default 4 MiB. */
  readonly maxBytes?: number | undefined;
}

/** Counts of workers by the kind of their answers. */
export interface ClusterMetricsStats {
  /** Answers since the start. */
  readonly answered: number;
  /** Workers that did not answer within `timeoutMs`. */
  readonly silent: number;
  /** Workers whose registry failed, or whose metrics were above `maxBytes`. */
  readonly failed: number;
  /** Workers that have ended. Their counters stay in the sums. */
  readonly ended: number;
  /** Series of ended workers that are missing in the sums, because there are too many. */
  readonly droppedSeries: number;
}

/** Metrics of all workers of a cluster. */
export interface ClusterMetrics extends AsyncDisposable {
  /** Value of the header `Content-Type` for `text()`. */
  readonly contentType: string;
  /**
   * Resolves with the metrics of all workers as one text, within about `timeoutMs`. Concurrent calls share one collection. A worker
   * that does not answer has only its last counters in it.
   *
   * @throws the error of the aggregator, or of the primary's own registry
   */
  text(): Promise<string>;
  stats(): ClusterMetricsStats;
  /** Forgets all workers, and listens to them no more. Idempotent. */
  close(): Promise<void>;
}

type Answer = 'answered' | 'silent' | 'failed';

/** A worker whose metrics are collected. */
interface Reporter {
  readonly child: ChildProcess;
  latest: readonly Metric[];
  /** Request whose answer is awaited. */
  asked: { readonly id: number; settle(answer: Answer): void } | undefined;
  /** Ends the subscription, and the wait for an answer. */
  forget(): void;
}

const HELP = 'Workers of the cluster by how they answered when their metrics were collected';

const rules: Rules = {
  aggregator: required(withMethods('aggregate')),
  registry: withMethods('getMetricsAsJSON'),
  timeoutMs: between(1, MAX_TIMER_MS, 1000),
  maxBytes: wholeBetween(1024, 1024 ** 3, 4 * 1024 ** 2),
};

type ResolvedOptions = Omit<ClusterMetricsOptions, 'timeoutMs' | 'maxBytes'> &
  Filled<Pick<ClusterMetricsOptions, 'timeoutMs' | 'maxBytes'>>;

/**
 * Collects the metrics of all workers of a cluster, from the registry that each one gives to `clusterWorker` as `metrics`.
 * Counters of workers that have ended stay in the sums, so that a reload is no reset: all of them if the worker ended by itself,
 * and its last answer if it was killed.
 *
 * @throws TypeError or RangeError for options that are unknown or out of range
 * @example
 * const metrics = clusterMetrics(supervisor, { aggregator: AggregatorRegistry });
 * const text = await metrics.text();
 */
export function clusterMetrics(
  supervisor: Supervisor,
  options: ClusterMetricsOptions,
): ClusterMetrics {
  const resolved = resolveByRules<ResolvedOptions>('collect metrics', options, rules);
  return new CollectedMetrics(supervisor, resolved);
}

class CollectedMetrics implements ClusterMetrics {
  readonly contentType: string;
  readonly #supervisor: Supervisor;
  readonly #options: ResolvedOptions;
  readonly #reporters = new Map<number, Reporter>();
  readonly #past = new PastMetrics();
  readonly #counts = { answered: 0, silent: 0, failed: 0, ended: 0 };
  #requests = 0;
  #collecting: Promise<string> | undefined;

  constructor(supervisor: Supervisor, options: ResolvedOptions) {
    this.#supervisor = supervisor;
    this.#options = options;
    this.contentType = options.aggregator.aggregate([]).contentType;
    for (const worker of supervisor.workers) {
      if (worker.state !== 'starting') this.#watch(worker);
    }
    supervisor.events.on('worker-ready', this.#onReady);
  }

  text(): Promise<string> {
    this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = undefined;
    });
    return this.#collecting;
  }

  stats(): ClusterMetricsStats {
    return { ...this.#counts, droppedSeries: this.#past.dropped };
  }

  async close(): Promise<void> {
    this.#supervisor.events.off('worker-ready', this.#onReady);
    for (const { forget } of this.#reporters.values()) forget();
    this.#reporters.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  readonly #onReady = ({ workerId }: { readonly workerId: number }): void => {
    const worker = this.#supervisor.workers.find((each) => each.workerId === workerId);
    if (worker !== undefined) this.#watch(worker);
  };

  #watch({ workerId, process: child }: SupervisedWorker): void {
    if (child === undefined || !child.connected || this.#reporters.has(workerId)) return;
    const hear = (message: unknown): void => {
      if (isMessage(message, metricsMessage)) this.#hear(reporter, message as MetricsMessage);
    };
    // It follows the last message.
    const end = (): void => this.#end(workerId);
    const reporter: Reporter = {
      child,
      latest: [],
      asked: undefined,
      forget() {
        child.off('message', hear);
        child.off('disconnect', end);
        reporter.asked?.settle('silent');
      },
    };
    this.#reporters.set(workerId, reporter);
    child.on('message', hear);
    child.on('disconnect', end);
    // The answer is what is known of a worker that is killed early; it also lets the worker report its last metrics.
    this.#request(reporter);
  }

  #request({ child }: Reporter): number {
    this.#requests += 1;
    const { maxBytes } = this.#options;
    const request: MetricsRequest = { ...metricsRequest, id: this.#requests, maxBytes };
    // Errors are ignored: a worker that cannot be asked does not answer.
    if (child.connected) child.send(request, () => {});
    return this.#requests;
  }

  #hear(reporter: Reporter, message: MetricsMessage): void {
    const metrics = readMetrics(message);
    if (metrics !== undefined) reporter.latest = metrics;
    if (reporter.asked?.id !== message.id) return;
    reporter.asked.settle(metrics === undefined ? 'failed' : 'answered');
  }

  #end(workerId: number): void {
    const reporter = this.#reporters.get(workerId);
    if (reporter === undefined) return;
    this.#reporters.delete(workerId);
    this.#counts.ended += 1;
    this.#past.add(reporter.latest);
    reporter.forget();
  }

  #ask(reporter: Reporter): Promise<Answer> {
    return new Promise((resolve) => {
      const settle = (answer: Answer): void => {
        clearTimeout(timer);
        reporter.asked = undefined;
        this.#counts[answer] += 1;
        resolve(answer);
      };
      const timer = setTimeout(() => settle('silent'), this.#options.timeoutMs);
      reporter.asked = { id: this.#request(reporter), settle };
    });
  }

  async #collect(): Promise<string> {
    const asked = [...this.#reporters];
    const [answers, own = []] = await Promise.all([
      Promise.all(asked.map(([, reporter]) => this.#ask(reporter))),
      this.#options.registry?.getMetricsAsJSON(),
    ]);
    const fresh = new Set(asked.flatMap(([id], at) => (answers[at] === 'answered' ? [id] : [])));
    // In one turn: a worker that has ended is among the past ones.
    const ofWorkers = [...this.#reporters].map(([id, { latest }]) =>
      fresh.has(id) ? latest : growingOf(latest),
    );
    const collected = [...ofWorkers, this.#past.metrics(), own, [workersBy(answers)]];
    return this.#options.aggregator.aggregate(collected).metrics();
  }
}

function workersBy(answers: readonly Answer[]): Metric {
  const counts = { answered: 0, silent: 0, failed: 0 };
  for (const answer of answers) counts[answer] += 1;
  const values = Object.entries(counts).map(([state, value]) => ({ labels: { state }, value }));
  const name = 'ticketing_cluster_metrics_workers';
  return { name, help: HELP, type: 'gauge', aggregator: 'sum', values };
}
