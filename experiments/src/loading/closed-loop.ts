import { quantile } from '@ticketing/bench-kit';
import { Client } from 'undici';
import { ask } from './ask.ts';
import { pathDrawer } from './draw-path.ts';
import type { LoadJob, LoadSample } from './load-job.ts';
import { openLoop } from './open-loop.ts';

const TIMEOUT_MS = 60_000;

/**
 * Has clients ask, each as soon as it was answered, for so long, then waits for the last answer; what came after the time
 * is counted, and so is the time it took, so that slow answers are not cut off.
 */
export async function closedLoop(job: LoadJob): Promise<LoadSample> {
  const latencies: number[] = [];
  let failed = 0;
  const body = job.bodyBytes === undefined ? undefined : Buffer.alloc(job.bodyBytes, 'x');
  const startedAt = performance.now();

  async function client(number: number): Promise<void> {
    const connection = new Client(job.url, {
      headersTimeout: job.timeoutMs ?? TIMEOUT_MS,
      bodyTimeout: job.timeoutMs ?? TIMEOUT_MS,
    });
    const drawn = pathDrawer(job.paths, { draw: job.draw ?? 'uniform', seed: number });
    const headers =
      job.clientHeader === undefined ? {} : { [job.clientHeader]: `client-${number}` };
    do {
      const sentAt = performance.now();
      const request = { path: drawn(), body, headers, isLast: !job.reuse };
      const status = await ask(connection, request).catch(() => 0);
      if (status === 200) latencies.push(performance.now() - sentAt);
      else failed += 1;
    } while (performance.now() - startedAt < job.ms);
    await connection.destroy();
  }

  const besides = besideOf(job);
  await Promise.all(Array.from({ length: job.clients }, (_, number) => client(number)));
  const elapsedMs = performance.now() - startedAt;
  const beside = await besides.stop();
  const sorted = Float64Array.from(latencies).sort();
  return {
    perSecond: (sorted.length * 1000) / elapsedMs,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    answered: sorted.length,
    failed,
    ...beside,
  };
}

type Beside = Pick<LoadSample, 'besideP50Ms' | 'besideP99Ms'>;

function besideOf({ url, beside }: LoadJob): { stop(): Promise<Beside> } {
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
