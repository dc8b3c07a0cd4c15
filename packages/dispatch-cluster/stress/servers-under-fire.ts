import { once } from 'node:events';
import { startCluster } from '../src/index.ts';
import { type LoadReport, startStrictLoad } from './load.ts';
import { addressOf } from './rolling-restart.ts';

export interface FireOptions {
  readonly entry: URL;
  readonly workers: number;
  readonly kills: number;
  /** Answers that the load has between two kills. */
  readonly answers: number;
  readonly connections: number;
  /** Called when the successor of a killed worker serves. */
  readonly onKill?: () => void;
}

export interface FireReport {
  /** Each request once. */
  readonly once: LoadReport;
  /** Each request up to three times. */
  readonly retried: LoadReport;
  /** Milliseconds from each kill until the successor served. */
  readonly backMs: readonly number[];
  readonly circuit: string;
}

/** Keeps a cluster busy while one of its workers is killed again and again. Leaves nothing behind. */
export async function serversUnderFire(options: FireOptions): Promise<FireReport> {
  const { entry, workers, kills, answers, connections, onKill } = options;
  await using supervisor = startCluster({
    entry,
    workers,
    env: { ...process.env, SERVER: 'http' },
    shutdown: { lameDuckMs: 1000, graceMs: 5000 },
    heartbeatMs: 60_000,
  });
  await supervisor.ready();
  const url = `${await addressOf(supervisor)}/?ms=5`;
  const [single, retried] = [
    startStrictLoad(url, connections),
    startStrictLoad(url, connections, 3),
  ];
  const backMs: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await Promise.all([single.more(answers), retried.more(answers)]);
    const ready = supervisor.workers.filter(({ state }) => state === 'ready');
    const target = ready[Math.floor(Math.random() * ready.length)];
    if (target?.pid === undefined) throw new Error('Cannot kill a worker: none is ready');
    const successor = once(supervisor.events, 'worker-ready');
    const killedAt = performance.now();
    process.kill(target.pid, 'SIGKILL');
    await successor;
    backMs.push(performance.now() - killedAt);
    onKill?.();
  }
  await supervisor.ready();
  const [first, again] = await Promise.all([single.stop(), retried.stop()]);
  const { circuit } = supervisor.stats().dispatcher;
  return { once: first, retried: again, backMs, circuit };
}
