import { setTimeout } from 'node:timers/promises';
import { startCluster } from '../src/index.ts';
import { type LoadReport, startStrictLoad } from './load.ts';
import { addressOf } from './rolling-restart.ts';

export interface FireOptions {
  readonly entry: URL;
  readonly workers: number;
  readonly kills: number;
  /** Milliseconds between two kills. */
  readonly everyMs: number;
  readonly connections: number;
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
  const { entry, workers, kills, everyMs, connections } = options;
  await using supervisor = startCluster({
    entry,
    workers,
    env: { ...process.env, SERVER: 'http' },
    shutdown: { lameDuckMs: 1000, graceMs: 5000 },
  });
  await supervisor.ready();
  const url = `${await addressOf(supervisor)}/?ms=5`;
  const [single, retried] = [
    startStrictLoad(url, connections),
    startStrictLoad(url, connections, 3),
  ];
  const killedAt = new Map<number, number>();
  const backMs: number[] = [];
  supervisor.events.on('worker-ready', ({ slot }) => {
    const at = killedAt.get(slot);
    if (at !== undefined) backMs.push(performance.now() - at);
    killedAt.delete(slot);
  });
  await setTimeout(everyMs);
  for (let kill = 0; kill < kills; kill++) {
    const ready = supervisor.workers.filter(({ state }) => state === 'ready');
    const target = ready[Math.floor(Math.random() * ready.length)];
    if (target?.pid !== undefined) {
      killedAt.set(target.slot, performance.now());
      process.kill(target.pid, 'SIGKILL');
    }
    await setTimeout(everyMs);
  }
  await supervisor.ready();
  const [once, again] = await Promise.all([single.stop(), retried.stop()]);
  const { circuit } = supervisor.stats().dispatcher;
  return { once, retried: again, backMs, circuit };
}
