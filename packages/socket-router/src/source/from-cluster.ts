import type { ChildProcess } from 'node:child_process';
import type { Cluster, Worker } from 'node:cluster';
import type { WorkerChannel, WorkerSource } from '../contract/worker-source.ts';
import { endProcess } from './forked-process.ts';

/**
 * Returns the workers of `node:cluster` as a source: all that run, now and later. Each gets the lowest free slot,
 * so a replacement gets the slot of its predecessor. The program starts and ends them; they call `attachServer` and need
 * not listen. A worker that is to be replaced gets SIGTERM, and SIGKILL after 10 seconds; the program starts its
 * successor, as after any end. `cluster.setupPrimary({ serialization: 'advanced' })` makes messages cheaper.
 *
 * @throws TypeError for a value that is not the cluster module of a primary process
 */
export function fromCluster(cluster: Cluster): WorkerSource {
  const { isPrimary } = Object(cluster) as Partial<Cluster>;
  if (!isPrimary) {
    const found = isPrimary === false ? 'that of a worker' : String(cluster);
    throw new TypeError(
      `Cannot take cluster workers: \`cluster\` must be the cluster module of a primary process, got ${found}`,
    );
  }
  const slots = new Map<number, string>();
  const slotOf = (worker: Worker): string => {
    let slot = slots.get(worker.id);
    if (slot === undefined) {
      slot = lowestFree(new Set(slots.values()));
      slots.set(worker.id, slot);
      worker.once('exit', () => slots.delete(worker.id));
    }
    return slot;
  };
  return {
    replace: ({ channel }) => endProcess(channel as ChildProcess, 'SIGTERM'),
    subscribe: (listener) => {
      const joined = new Set<number>();
      const join = (worker: Worker): void => {
        // A worker that was started just now still emits its event.
        if (joined.has(worker.id)) return;
        joined.add(worker.id);
        const { process: child } = worker;
        listener({ slot: slotOf(worker), pid: child.pid, channel: child as WorkerChannel });
      };
      for (const worker of Object.values(cluster.workers ?? {})) {
        if (worker?.isConnected()) join(worker);
      }
      cluster.on('fork', join);
      return () => cluster.off('fork', join);
    },
  };
}

function lowestFree(taken: ReadonlySet<string>): string {
  let slot = 0;
  while (taken.has(String(slot))) slot += 1;
  return String(slot);
}
