import { quantile } from '@ticketing/bench-kit';
import { Client } from 'undici';
import { ask } from './ask.ts';
import type { LoadJob, LoadSample } from './load-job.ts';
import { openLoop } from './open-loop.ts';

/** Most milliseconds that an answer may take, unless a job has its own limit. */
export const TIMEOUT_MS = 60_000;

/** Outcome of the requests of a load. */
export interface Outcome {
  /** Milliseconds of each answer of 200. */
  readonly latencies: readonly number[];
  readonly failed: number;
  /** Milliseconds until the last answer. */
  readonly elapsedMs: number;
}

export function sampleOf({ latencies, failed, elapsedMs }: Outcome): LoadSample {
  const sorted = Float64Array.from(latencies).sort();
  return {
    perSecond: (sorted.length * 1000) / elapsedMs,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    answered: sorted.length,
    failed,
  };
}

type Beside = Pick<LoadSample, 'besideP50Ms' | 'besideP99Ms'>;

/** Begins to ask what a job asks beside. */
export function besideOf({ url, beside }: LoadJob): { stop(): Promise<Beside> } {
  if (beside === undefined) return { stop: async () => ({}) };
  const connection = new Client(url, { headersTimeout: TIMEOUT_MS });
  const latencies: number[] = [];
  const loop = openLoop({
    perSecond: beside.perSecond,
    maxInFlight: Number.POSITIVE_INFINITY,
    send: async () => (await ask(connection, { path: beside.path })) === 200,
    onAnswer: ({ ms }) => latencies.push(ms),
  });
  return {
    async stop() {
      await loop.stop();
      await connection.destroy();
      const sorted = Float64Array.from(latencies).sort();
      return { besideP50Ms: quantile(sorted, 0.5), besideP99Ms: quantile(sorted, 0.99) };
    },
  };
}
