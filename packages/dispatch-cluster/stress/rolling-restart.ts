import { setTimeout } from 'node:timers/promises';
import { startCluster } from '../src/index.ts';
import { type LoadReport, startLoad, startStrictLoad } from './load.ts';

export interface RollingOptions {
  /** The program of the workers. */
  readonly entry: URL;
  /** Answers that the load has between two changes. */
  readonly answers: number;
  /** Milliseconds that the server waits before each answer. */
  readonly answerMs: number;
  readonly connections: number;
  readonly server: 'http' | 'fastify';
}

export interface RollingReport {
  readonly busy: LoadReport;
  readonly strict: LoadReport;
  readonly spawned: number;
  readonly recycled: number;
  /** Requests by the counts of the workers. */
  readonly requests: number;
}

/**
 * Keeps a cluster of two busy while it is reloaded twice, made larger and smaller again, and recycles a worker. Leaves
 * nothing behind.
 */
export async function rollingRestart(options: RollingOptions): Promise<RollingReport> {
  const { entry, answers, answerMs, connections, server } = options;
  await using supervisor = startCluster({
    entry,
    workers: 2,
    env: { ...process.env, SERVER: server },
    shutdown: { lameDuckMs: 2000, graceMs: 5000 },
    recycle: { requests: answers, jitter: 0.5 },
    // Whether a machine is too busy to answer in time is not the question here.
    heartbeatMs: 60_000,
  });
  await supervisor.ready();
  const url = `${await addressOf(supervisor)}/?ms=${answerMs}`;
  const busy = startLoad(url, connections);
  const strict = startStrictLoad(url, 10);
  const more = () => Promise.all([busy.more(answers), strict.more(answers / 10)]);
  await more();
  await supervisor.reload();
  await more();
  await supervisor.scale(3);
  await more();
  await supervisor.scale(1);
  await supervisor.scale(2);
  await supervisor.reload({ parallel: 2 });
  do await more();
  while (supervisor.stats().dispatcher.recycled === 0);
  const reports = await Promise.all([busy.stop(), strict.stop()]);
  const { spawned, recycled } = supervisor.stats().dispatcher;
  await supervisor.close();
  const { requests } = supervisor.stats();
  return { busy: reports[0], strict: reports[1], spawned, recycled, requests };
}

/** Resolves with the URL of the workers, once one of them has reported its address. */
export async function addressOf(supervisor: ReturnType<typeof startCluster>): Promise<string> {
  for (;;) {
    for (const { address } of supervisor.workers) {
      if (typeof address === 'object') return `http://127.0.0.1:${address.port}`;
    }
    await setTimeout(20);
  }
}
