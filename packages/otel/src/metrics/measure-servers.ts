import type { Meter } from '@opentelemetry/api';
import type {
  HandedOverMessage,
  NameMessage,
  ReroutedMessage,
  RouterWorkerMessage,
  Subscriptions,
  WorkerMessage,
  WorkerReportMessage,
} from '../channels.ts';
import { figures } from '../figures.ts';
import { instrument } from './instruments.ts';

const MS_PER_S = 1000;

/** Measures connections of routers. */
export function measureRouters(meter: Meter, subscriptions: Subscriptions): void {
  const connections = instrument(meter, figures.routerConnections);
  const claims = instrument(meter, figures.routerClaim);
  const workers = instrument(meter, figures.routerWorkers);
  const ROUTER = 'ticketing:socket-router';
  subscriptions.on<HandedOverMessage>(`${ROUTER}:handed-over`, ({ ms }) => {
    connections(1, { outcome: 'handed-over' });
    claims(ms / MS_PER_S, {});
  });
  subscriptions.on<object>(`${ROUTER}:refused`, () => connections(1, { outcome: 'refused' }));
  subscriptions.on<object>(`${ROUTER}:gone`, () => connections(1, { outcome: 'gone' }));
  subscriptions.on<ReroutedMessage>(`${ROUTER}:rerouted`, ({ connections: count }) =>
    connections(count, { outcome: 'rerouted' }),
  );
  const ready = new Set<string>();
  subscriptions.on<RouterWorkerMessage>(`${ROUTER}:worker-ready`, (message) => {
    const worker = processOf(message);
    if (ready.has(worker)) return;
    ready.add(worker);
    workers(1, { state: 'ready' });
  });
  for (const event of ['worker-stuck', 'worker-down']) {
    subscriptions.on<RouterWorkerMessage>(`${ROUTER}:${event}`, (message) => {
      if (ready.delete(processOf(message))) workers(-1, { state: 'ready' });
    });
  }
}

function processOf({ slot, pid }: RouterWorkerMessage): string {
  return `${pid} ${slot}`;
}

/** Measures requests and connections of clusters, by what their workers report. */
export function measureClusters(meter: Meter, subscriptions: Subscriptions): void {
  const requests = instrument(meter, figures.clusterRequests);
  const active = instrument(meter, figures.clusterActive);
  const connections = instrument(meter, figures.clusterConnections);
  const dropped = instrument(meter, figures.clusterDropped);
  const wedged = instrument(meter, figures.clusterWedged);
  const CLUSTER = 'ticketing:dispatch-cluster';
  /** Latest report of each worker that lives. */
  const latest = new Map<string, WorkerReportMessage>();
  const keyOf = ({ name, workerId }: WorkerMessage): string => `${workerId} ${name}`;
  subscriptions.on<WorkerReportMessage>(`${CLUSTER}:worker-report`, (report) => {
    const { name } = report;
    const key = keyOf(report);
    const before = latest.get(key) ?? { requests: 0, inFlight: 0, connections: 0 };
    latest.set(key, report);
    requests(Math.max(0, report.requests - before.requests), { name });
    active(report.inFlight - before.inFlight, { name });
    connections(report.connections - before.connections, { name });
  });
  subscriptions.on<WorkerMessage>('ticketing:dispatch:worker-exit', (message) => {
    const last = latest.get(keyOf(message));
    if (last === undefined) return;
    latest.delete(keyOf(message));
    active(-last.inFlight, { name: last.name });
    connections(-last.connections, { name: last.name });
  });
  subscriptions.on<NameMessage>(`${CLUSTER}:connection-dropped`, ({ name }) =>
    dropped(1, { name }),
  );
  subscriptions.on<NameMessage>(`${CLUSTER}:worker-wedged`, ({ name }) => wedged(1, { name }));
}
