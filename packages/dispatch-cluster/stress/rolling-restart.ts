import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { startCluster } from '../src/index.ts';
import { type LoadReport, startLoad, startStrictLoad } from './load.ts';

export interface RollingOptions {
  /** The program of the workers. */
  readonly entry: URL;
  /** Milliseconds of load in all, at least. */
  readonly ms: number;
  readonly connections: number;
  readonly server: 'http' | 'fastify';
}

export interface RollingReport {
  readonly busy: LoadReport;
  readonly strict: LoadReport;
  readonly spawned: number;
  readonly recycled: number;
  /** As the workers counted. */
  readonly requests: number;
}

/**
 * Keeps a cluster of two busy while it is reloaded twice, made larger and smaller again, and recycles a worker. Leaves
 * nothing behind.
 */
export async function rollingRestart(options: RollingOptions): Promise<RollingReport> {
  const { entry, ms, connections, server } = options;
  await using supervisor = startCluster({
    entry,
    workers: 2,
    env: { ...process.env, SERVER: server },
    shutdown: { lameDuckMs: 2000, graceMs: 5000 },
    // Early enough that each kind of change meets it.
    recycle: { ageMs: ms, jitter: 0.5 },
    heartbeatMs: 500,
  });
  await supervisor.ready();
  const url = `${await addressOf(supervisor)}/?ms=2`;
  const end = performance.now() + ms;
  const busy = startLoad(url, connections);
  const strict = startStrictLoad(url, 10);
  const pause = ms / 8;
  await setTimeout(pause);
  await supervisor.reload();
  await setTimeout(pause);
  await supervisor.scale(3);
  await setTimeout(pause);
  await supervisor.scale(1);
  await supervisor.scale(2);
  await supervisor.reload({ parallel: 2 });
  const isLate = AbortSignal.timeout(10_000 + ms);
  while (supervisor.stats().dispatcher.recycled === 0 && !isLate.aborted) {
    await once(supervisor.events, 'worker-ready', { signal: isLate }).catch(() => {});
  }
  await setTimeout(Math.max(pause, end - performance.now()));
  const reports = await Promise.all([busy.stop(), strict.stop()]);
  const { spawned, recycled } = supervisor.stats().dispatcher;
  await supervisor.close();
  const { requests } = supervisor.stats();
  return { busy: reports[0], strict: reports[1], spawned, recycled, requests };
}

/** Where the workers listen, as one of them has told. */
export async function addressOf(supervisor: ReturnType<typeof startCluster>): Promise<string> {
  for (;;) {
    for (const { address } of supervisor.workers) {
      if (typeof address === 'object') return `http://127.0.0.1:${address.port}`;
    }
    await setTimeout(20);
  }
}
