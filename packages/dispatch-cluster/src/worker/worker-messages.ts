const VARIABLE = 'TICKETING_CLUSTER_WORKER';

/** How a worker starts. */
export interface WorkerStartMessage {
  readonly workerId: number;
  readonly slot: number;
  /** Address of the module of tasks, if it replaces the entry's own. */
  readonly module: string | undefined;
  /** Whether the primary has `workerData` for it. */
  readonly hasWorkerData: boolean;
  readonly connections: 'shared' | 'external';
  readonly lameDuckMs: number;
  /** The whole time of its end, lame duck included. */
  readonly graceMs: number;
  /** Requests after which the worker asks to be replaced. */
  readonly maxRequests: number | undefined;
}

/** Marks a process that has taken its start, for all copies of this package in it. */
const TAKEN = Symbol.for('ticketing.dispatch-cluster.worker');

/** Returns the environment variable that carries a worker's start. */
export function environmentOf(start: WorkerStartMessage): Readonly<Record<string, string>> {
  return { [VARIABLE]: JSON.stringify(start) };
}

/** Removes a worker's start from its environment, so that its children do not find it. `undefined` without one. */
export function takeWorkerStart(
  environment: Record<string, string | undefined>,
): WorkerStartMessage | undefined {
  const text = environment[VARIABLE];
  delete environment[VARIABLE];
  if (text === undefined) return undefined;
  Object.defineProperty(process, TAKEN, { value: true, configurable: true });
  return JSON.parse(text) as WorkerStartMessage;
}

/** Whether this process has taken its start: it is a worker of a cluster already. */
export function hasTakenStart(): boolean {
  return TAKEN in process;
}

/** What a worker reports of the requests that it serves. */
export interface WorkerReport {
  /** Requests whose head has arrived, since its start. */
  readonly requests: number;
  /** Requests in flight now. */
  readonly inFlight: number;
  /** Connections that are open now. */
  readonly connections: number;
  /** Where it listens; `undefined` if it does not. */
  readonly address: { readonly address: string; readonly port: number } | string | undefined;
  /** Whether its option `attach` has attached its server to a router. */
  readonly attached: boolean;
}

export const emptyReport: WorkerReport = {
  requests: 0,
  inFlight: 0,
  connections: 0,
  address: undefined,
  attached: false,
};

/** Has a worker finish its requests within `graceMs` and accept no more. It continues with tasks, and answers `left`. */
export interface LeaveMessage {
  readonly ticketing: string;
  readonly graceMs: number;
}
export const leave: Pick<LeaveMessage, 'ticketing'> = { ticketing: 'dispatch-cluster.leave' };
/** Reports to the primary that no request is left. */
export const left: { readonly ticketing: string } = { ticketing: 'dispatch-cluster.left' };

/** Reports to the primary that the worker got SIGTERM, alone or with all processes of the program. */
export const terminated: { readonly ticketing: string } = {
  ticketing: 'dispatch-cluster.terminated',
};

/** Returns whether a message is one of these, among messages of others. */
export function isMessage(message: unknown, wanted: { readonly ticketing: string }): boolean {
  return (Object(message) as { readonly ticketing?: unknown }).ticketing === wanted.ticketing;
}
