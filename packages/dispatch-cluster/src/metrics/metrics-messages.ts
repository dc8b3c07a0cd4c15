import { deserialize, serialize } from 'node:v8';
import type { Metric, MetricsRegistry } from './metric.ts';

/** Asks a worker for its metrics. */
export interface MetricsRequest {
  readonly ticketing: string;
  readonly id: number;
  /** Most bytes of an answer. */
  readonly maxBytes: number;
}
export const metricsRequest: Pick<MetricsRequest, 'ticketing'> = {
  ticketing: 'dispatch-cluster.metrics-request',
};

/** Metrics of a worker: the answer to a request, or its last ones. */
export interface MetricsMessage {
  readonly ticketing: string;
  /** Number of the request. */
  readonly id: number;
  /** Metrics, as `node:v8` writes them; undefined if they could not be read, or are too large. */
  readonly bytes: Uint8Array | undefined;
}
export const metricsMessage: Pick<MetricsMessage, 'ticketing'> = {
  ticketing: 'dispatch-cluster.metrics',
};

/** Returns the metrics of a registry as a message; without `bytes` if the registry fails or they are too large. */
export async function writeMetrics(
  registry: MetricsRegistry,
  { id, maxBytes }: MetricsRequest,
): Promise<MetricsMessage> {
  let bytes: Uint8Array | undefined;
  try {
    // `node:v8` keeps NaN and infinity, which JSON does not.
    bytes = serialize(await registry.getMetricsAsJSON());
  } catch {
    // Reported by the missing bytes.
  }
  const fits = bytes !== undefined && bytes.byteLength <= maxBytes;
  return { ...metricsMessage, id, bytes: fits ? bytes : undefined };
}

/** Returns the metrics of a message; undefined if it has none that can be read. */
export function readMetrics({ bytes }: MetricsMessage): readonly Metric[] | undefined {
  try {
    return bytes && deserialize(bytes);
  } catch {
    return undefined;
  }
}
