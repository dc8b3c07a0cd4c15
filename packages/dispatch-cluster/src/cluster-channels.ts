import { channel } from 'node:diagnostics_channel';
import type { FromWorker } from '@ticketing/dispatch/transport';
import type { WorkerReport } from './worker/worker-messages.ts';

/** `{ name, workerId, requests, inFlight, connections }` each time that a worker reports, twice a second at most. */
const reportChannel = channel('ticketing:dispatch-cluster:worker-report');
/** `{ name, reason }` of a connection that was closed for `full`, or answered with 503 for `late`. */
const droppedChannel = channel('ticketing:dispatch-cluster:connection-dropped');
/** `{ name, workerId }` of a worker that is replaced because it claimed no connection. */
const wedgedChannel = channel('ticketing:dispatch-cluster:worker-wedged');

/** Worker of a cluster, by the name of the cluster. */
interface WorkerOfCluster {
  readonly name: string;
  readonly workerId: number;
}

/** Publishes the reports among the frames of a worker. */
export function publishReports(
  { name, workerId }: WorkerOfCluster,
  frames: readonly FromWorker[],
): void {
  if (!reportChannel.hasSubscribers) return;
  for (const frame of frames) {
    if (frame.kind !== 'report') continue;
    const { requests, inFlight, connections } = frame.data as WorkerReport;
    reportChannel.publish({ name, workerId, requests, inFlight, connections });
  }
}

/** Publishes that connections were dropped. */
export function publishDropped(name: string, reason: 'full' | 'late', connections = 1): void {
  if (!droppedChannel.hasSubscribers) return;
  for (let each = 0; each < connections; each++) droppedChannel.publish({ name, reason });
}

/** Publishes that a worker is replaced because it claimed no connection. */
export function publishWedged({ name, workerId }: WorkerOfCluster): void {
  if (wedgedChannel.hasSubscribers) wedgedChannel.publish({ name, workerId });
}
