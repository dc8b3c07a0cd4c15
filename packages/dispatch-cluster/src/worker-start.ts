const VARIABLE = 'TICKETING_CLUSTER_WORKER';

/** What a worker is told when it is started. */
export interface WorkerStartMessage {
  readonly workerId: number;
  /** Address of the module of tasks, if it replaces the entry's own. */
  readonly module: string | undefined;
  readonly connections: 'shared' | 'external';
  readonly lameDuckMs: number;
  readonly graceMs: number;
  /** Requests after which the worker asks to be replaced. */
  readonly maxRequests: number | undefined;
}

/** The environment that tells a worker how it starts. */
export function environmentOf(start: WorkerStartMessage): Readonly<Record<string, string>> {
  return { [VARIABLE]: JSON.stringify(start) };
}

/** Takes the word out of an environment, so that children of the worker do not find it. `undefined` if there is none. */
export function takeWorkerStart(
  environment: Record<string, string | undefined>,
): WorkerStartMessage | undefined {
  const text = environment[VARIABLE];
  delete environment[VARIABLE];
  return text === undefined ? undefined : (JSON.parse(text) as WorkerStartMessage);
}
