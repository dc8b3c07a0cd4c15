const VARIABLE = 'TICKETING_CLUSTER_WORKER';

/** Facts of a worker's start, which the primary puts into its environment. */
export interface WorkerStartMessage {
  readonly workerId: number;
  readonly slot: number;
  /** Address of a module of tasks that replaces the entry's own. */
  readonly module: string | undefined;
  /** True if the primary has `workerData` for the worker. */
  readonly hasWorkerData: boolean;
  /** Source of the connections; `own`: the server listens by itself, without a primary. */
  readonly connections: 'shared' | 'external' | 'own';
  readonly lameDuckMs: number;
  /** Milliseconds in which the worker must end, with `lameDuckMs`. */
  readonly graceMs: number;
  /** Requests after which the worker asks to be replaced. */
  readonly maxRequests: number | undefined;
}

/** Name of the mark of a process in which `clusterWorker` was called, for all copies of this package in it. */
const TAKEN: unique symbol = Symbol.for('ticketing.dispatch-cluster.worker');

/** Returns the environment variable that carries a worker's start. */
export function environmentOf(start: WorkerStartMessage): Readonly<Record<string, string>> {
  return { [VARIABLE]: JSON.stringify(start) };
}

/** Returns a worker's start, and removes it from the environment, so that its children do not find it. `undefined` without one. */
export function takeWorkerStart(
  environment: Record<string, string | undefined>,
): WorkerStartMessage | undefined {
  const text = environment[VARIABLE];
  delete environment[VARIABLE];
  if (text === undefined) return undefined;
  noteRole('worker');
  return JSON.parse(text) as WorkerStartMessage;
}

/** Marks this process as a worker of a cluster, or as one that serves alone; `undefined` removes the mark. */
export function noteRole(role: 'worker' | 'standalone' | undefined): void {
  Object.defineProperty(process, TAKEN, { value: role, configurable: true });
}

/** Returns true if `clusterWorker` was called in this process. */
export function hasRole(): boolean {
  return roleOf() !== undefined;
}

/** Returns true if `startCluster` has started this process. */
export function hasPrimary(environment: Readonly<Record<string, string | undefined>>): boolean {
  return roleOf() === 'worker' || environment[VARIABLE] !== undefined;
}

function roleOf(): unknown {
  return (process as { readonly [TAKEN]?: unknown })[TAKEN];
}

/** Figures that a worker reports about its requests. */
export interface WorkerReport {
  /** Requests whose head has arrived since the worker started. */
  readonly requests: number;
  /** Requests in flight now. */
  readonly inFlight: number;
  /** Connections that are open now. */
  readonly connections: number;
  /** Address on which the server listens; `undefined` if it does not. */
  readonly address: { readonly address: string; readonly port: number } | string | undefined;
  /** True if option `attach` has attached the server to a router. */
  readonly attached: boolean;
}

export const emptyReport: WorkerReport = {
  requests: 0,
  inFlight: 0,
  connections: 0,
  address: undefined,
  attached: false,
};

/** Asks a worker to accept no further request, and to finish the others within `graceMs`. It continues with tasks, and answers `left`. */
export interface LeaveMessage {
  readonly ticketing: string;
  readonly graceMs: number;
}
export const leave: Pick<LeaveMessage, 'ticketing'> = { ticketing: 'dispatch-cluster.leave' };
/** Reports to the primary that no request is left. */
export const left: { readonly ticketing: string } = { ticketing: 'dispatch-cluster.left' };

/** Reports SIGTERM to the primary, sent to the worker alone or to all processes of the program. */
export const terminated: { readonly ticketing: string } = {
  ticketing: 'dispatch-cluster.terminated',
};
