import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { ask } from './ask.ts';
import { pathDrawer } from './draw-path.ts';
import type { LoadJob, LoadSample } from './load-job.ts';
import { besideOf, sampleOf, TIMEOUT_MS } from './load-sample.ts';
import { openLoop } from './open-loop.ts';

/**
 * Sends `perSecond` requests a second for so long, whether or not earlier ones are answered, then waits for the last answer.
 * Latency counts from when a request was due.
 */
export async function constantRate(
  job: LoadJob & { readonly perSecond: number },
): Promise<LoadSample> {
  const latencies: number[] = [];
  let failed = 0;
  const timeoutMs = job.timeoutMs ?? TIMEOUT_MS;
  const connections = new Pool(job.url, { headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const drawn = pathDrawer(job.paths, { draw: job.draw ?? 'uniform', seed: 0 });
  const besides = besideOf(job);
  const startedAt = performance.now();
  const loop = openLoop({
    perSecond: job.perSecond,
    maxInFlight: Number.POSITIVE_INFINITY,
    send: async () => (await ask(connections, { path: drawn(), isLast: !job.reuse })) === 200,
    onAnswer({ kind, ms }) {
      if (kind === 'answered') latencies.push(ms);
      else failed += 1;
    },
  });
  await sleep(job.ms);
  await loop.stop();
  const elapsedMs = performance.now() - startedAt;
  const beside = await besides.stop();
  await connections.destroy();
  return { ...sampleOf({ latencies, failed, elapsedMs }), ...beside };
}
