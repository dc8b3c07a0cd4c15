import cluster, { type Worker } from 'node:cluster';

/** Forks workers, and resolves when each has reported that it is ready. */
export function forkWorkers(count: number): Promise<Worker[]> {
  const workers = Array.from({ length: count }, () => cluster.fork());
  const ready = workers.map(
    (worker) => new Promise<void>((resolve) => worker.once('message', () => resolve())),
  );
  return Promise.all(ready).then(() => workers);
}

/** Reports readiness to the parent. */
export function sayReady(): void {
  process.send?.('ready');
}

/** Returns a random worker: the seed has no key. */
export function anyOf<T>(choices: readonly T[]): T {
  return choices[Math.floor(Math.random() * choices.length)] as T;
}
