import type { ChildProcess } from 'node:child_process';
import type { Cluster, Worker } from 'node:cluster';
import type { RouterWorker, WorkerChannel, WorkerSource } from '../contract/worker-source.ts';
import { endProcess } from './end-process.ts';

/**
 * Takes the workers of `node:cluster`, those that run and those that will; each has the lowest slot that is free, so
 * that a replacement gets the slot of the one before. Starting and ending them stays with the program. Their workers
 * call `attachWorker` and need not listen. One that is to be replaced gets SIGTERM, and SIGKILL after 10 seconds; the
 * program starts its successor, as after any end. `cluster.setupPrimary({ serialization: 'advanced' })` makes it cheaper.
 *
 * @throws TypeError for what is not the cluster module of a primary process
 */
export function clusterWorkers(cluster: Cluster): WorkerSource {
  if (!Object(cluster).isPrimary) {
    throw new TypeError(
      `Cannot take cluster workers: the cluster module of a primary process expected, got ${shown(cluster)}`,
    );
  }
  const slots = new Map<number, string>();
  return {
    replace: ({ channel }) => endProcess(channel as ChildProcess, 'SIGTERM'),
    subscribe: (listener) => {
      const joined = new Set<number>();
      const join = (worker: Worker): void => {
        // The event of a worker that was started just now is still to come.
        if (joined.has(worker.id)) return;
        joined.add(worker.id);
        listener(asWorker(worker, slots));
      };
      for (const worker of Object.values(cluster.workers ?? {})) {
        if (worker?.isConnected()) join(worker);
      }
      cluster.on('fork', join);
      return () => cluster.off('fork', join);
    },
  };
}

function shown(cluster: unknown): string {
  return Object(cluster).isPrimary === false ? 'that of a worker' : String(cluster);
}

function asWorker(worker: Worker, slots: Map<number, string>): RouterWorker {
  let slot = slots.get(worker.id);
  if (slot === undefined) {
    slot = lowestFree(new Set(slots.values()));
    slots.set(worker.id, slot);
    worker.once('exit', () => slots.delete(worker.id));
  }
  return { slot, pid: worker.process.pid, channel: worker.process as WorkerChannel };
}

function lowestFree(taken: ReadonlySet<string>): string {
  let slot = 0;
  while (taken.has(String(slot))) slot += 1;
  return String(slot);
}
