import { channel } from 'node:diagnostics_channel';
import type { FromWorker } from '@ticketing/dispatch/transport';
import type { EventChannel } from '@ticketing/kit';
import type {
  ConnectionDroppedMessage,
  DispatchClusterMessages,
} from './dispatch-cluster-messages.ts';
import type { WorkerReport } from './worker/worker-messages.ts';

const reportChannel = clusterChannel('ticketing:dispatch-cluster:worker-report');
const droppedChannel = clusterChannel('ticketing:dispatch-cluster:connection-dropped');
const wedgedChannel = clusterChannel('ticketing:dispatch-cluster:worker-wedged');

/** Returns a channel of this package, which publishes messages of its type alone. */
function clusterChannel<Name extends keyof DispatchClusterMessages>(
  name: Name,
): EventChannel<DispatchClusterMessages[Name]> {
  return channel(name);
}

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
export function publishDropped(
  name: string,
  reason: ConnectionDroppedMessage['reason'],
  connections = 1,
): void {
  if (!droppedChannel.hasSubscribers) return;
  for (let each = 0; each < connections; each++) droppedChannel.publish({ name, reason });
}

/** Publishes that a worker is replaced because it claimed no connection. */
export function publishWedged({ name, workerId }: WorkerOfCluster): void {
  if (wedgedChannel.hasSubscribers) wedgedChannel.publish({ name, workerId });
}
