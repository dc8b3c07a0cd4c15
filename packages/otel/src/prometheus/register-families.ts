import type { Family } from './family.ts';
import { samplesOf } from './samples.ts';

/** Registry of prom-client, or of @prometheus-io/client. */
export interface MetricRegistry {
  registerMetric(metric: never): void;
}

/**
 * Adds families to a registry of prom-client or @prometheus-io/client. It calls `read` once per scrape.
 *
 * @throws Error of the registry for a name that it has already
 * @example
 * registerFamilies(register, { families: libraryFamilies, read: () => ({ dispatchers: [dispatcher.stats()] }) });
 */
export function registerFamilies<Source>(
  registry: MetricRegistry,
  {
    families,
    read,
  }: {
    readonly families: readonly Family<Source>[];
    readonly read: () => Source | PromiseLike<Source>;
  },
): void {
  let reading: Promise<Source> | undefined;
  /** A registry asks all its metrics in one turn. */
  async function readOnce(): Promise<Source> {
    if (reading === undefined) {
      reading = Promise.resolve(read());
      queueMicrotask(() => {
        reading = undefined;
      });
    }
    return reading;
  }
  for (const family of families) {
    const { name, help, type } = family;
    const metric = {
      name,
      help,
      type,
      aggregator: 'sum',
      /** Reads the samples of this metric. */
      async get() {
        const values = samplesOf(family, await readOnce()).map(({ name: metricName, ...sample }) =>
          // A registry of OpenMetrics adds the ending of a counter to this name.
          type === 'histogram' ? { metricName, ...sample } : sample,
        );
        return { name: metric.name, help, type, aggregator: metric.aggregator, values };
      },
      reset() {},
    };
    registry.registerMetric(metric as never);
  }
}
