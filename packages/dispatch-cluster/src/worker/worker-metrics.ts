import type { MetricsRegistry } from '../metrics/metric.ts';
import { type MetricsRequest, writeMetrics } from '../metrics/metrics-messages.ts';

/** Milliseconds for the last metrics of a worker that ends. */
const LAST_MS = 250;

/** Registry without metrics. */
const NO_METRICS: MetricsRegistry = { getMetricsAsJSON: async () => [] };

/** Metrics of a worker, for the primary. */
export class WorkerMetrics {
  readonly #registry: MetricsRegistry;
  /** Sends a message to the primary; resolves when it is written. */
  readonly #send: (message: object) => Promise<void>;
  /** Latest request; undefined while the primary collects no metrics. */
  #request: MetricsRequest | undefined;

  constructor(registry: MetricsRegistry | undefined, send: (message: object) => Promise<void>) {
    this.#registry = registry ?? NO_METRICS;
    this.#send = send;
  }

  /** Answers a request. */
  async answer(request: MetricsRequest): Promise<void> {
    this.#request = request;
    await this.#send(await writeMetrics(this.#registry, request));
  }

  /** Sends the metrics once more before the worker ends, so that no count is missing. Gives up after 250 ms. */
  async sendLast(): Promise<void> {
    if (this.#request === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_MS);
    });
    await Promise.race([this.answer(this.#request), late]);
    clearTimeout(timer);
  }
}
