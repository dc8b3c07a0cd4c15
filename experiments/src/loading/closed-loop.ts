import { Client } from 'undici';
import { ask } from './ask.ts';
import { pathDrawer } from './draw-path.ts';
import type { LoadJob, LoadSample } from './load-job.ts';
import { besideOf, sampleOf, TIMEOUT_MS } from './load-sample.ts';

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
  return { ...sampleOf({ latencies, failed, elapsedMs }), ...beside };
}
