import { createInProcessDispatcher } from '@ticketing/dispatch';
import { type HedgeOptions, withHedge } from '@ticketing/dispatch-wrappers';
import tasks from './tasks.ts';

/** Creates the reads of a service: one worker per replica, a second replica for slow reads. */
export function createReads(replicas: readonly string[], hedge: HedgeOptions) {
  const workers = createInProcessDispatcher(tasks, {
    name: 'replicas',
    // Reads wait for the network, so the workers are in this process: one for each replica, always.
    min: replicas.length,
    max: replicas.length,
    workerData: (slot: number) => replicas[slot],
    window: 64, // reads that one replica has at a time
    maxQueue: 1000,
  });
  return withHedge(workers, hedge);
}

export type Reads = ReturnType<typeof createReads>;
