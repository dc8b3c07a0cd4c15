import type { ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import type {
  CloseOptions,
  Dispatcher,
  DispatcherState,
  DispatcherStats,
  InputOf,
  OutputOf,
  ReloadOptions,
  TaskMap,
} from '@ticketing/dispatch';
import type { BroadcastOptions } from '@ticketing/dispatch/transport';
import type { WorkerReport } from './worker-report.ts';

/** A worker of a cluster, as it was last heard of. */
export interface SupervisedWorker extends WorkerReport {
  /** Unique within the cluster, from 1. */
  readonly workerId: number;
  /** Its place, from 0: a worker's successor takes it over. */
  readonly slot: number;
  readonly pid: number | undefined;
  /** `retiring`: its successor works, tasks of dispatchers end. `stopping`: it serves to the end what it has. */
  readonly state: 'starting' | 'ready' | 'retiring' | 'stopping';
  readonly ageMs: number;
  readonly memoryBytes: number | undefined;
  /** For those who give it sockets. */
  readonly process: ChildProcess | undefined;
}

/** What a cluster counts since its start. */
export interface ClusterStats {
  readonly name: string;
  readonly state: DispatcherState;
  /** Requests served, also by workers that are gone, as far as they have told: twice a second and at their end. */
  readonly requests: number;
  readonly inFlight: number;
  readonly connections: number;
  /** Connections that wait for a worker: none is there, or each has one to claim. */
  readonly waitingConnections: number;
  /** Connections that were closed since more than `maxWaiting` waited, or one for longer than `startTimeoutMs`. */
  readonly droppedConnections: number;
  /** Workers that were replaced since they took no connection for `claimTimeoutMs`. */
  readonly wedgedWorkers: number;
  /** Bytes of all workers that have told. */
  readonly memoryBytes: number;
  readonly workers: readonly SupervisedWorker[];
  /** Of the pool that the workers are: its restarts, its circuit, and the tasks of all dispatchers. */
  readonly dispatcher: DispatcherStats;
}

/** What a cluster tells. */
export interface ClusterEvents {
  'worker-ready': [
    { readonly workerId: number; readonly slot: number; readonly pid: number | undefined },
  ];
  'worker-exit': [
    {
      readonly workerId: number;
      readonly slot: number;
      readonly pid: number | undefined;
      readonly exitCode: number | undefined;
      readonly signal: string | undefined;
      readonly stderrTail: string;
    },
  ];
  /** Too many workers failed, the last one with `error`. A worker probes from time to time. */
  'circuit-open': [{ readonly error: unknown }];
  /** A reload that SIGHUP asked for failed, with option `signals`; the old workers stay. */
  'reload-failed': [{ readonly error: unknown }];
}

/** A worker that may be given sockets. */
export interface ServingWorker {
  /** Its place, which its successor takes over. */
  readonly slot: string;
  readonly pid: number | undefined;
  readonly channel: ChildProcess;
}

/** Keeps the workers of a cluster. */
export interface Supervisor extends AsyncDisposable {
  readonly events: EventEmitter<ClusterEvents>;
  readonly state: DispatcherState;
  readonly workers: readonly SupervisedWorker[];

  /**
   * Resolves when every worker serves; with option `signals` also when a signal has ended the start, which `state` then tells.
   *
   * @throws DispatchError `ERR_CIRCUIT_OPEN`, with why as its cause; `ERR_CLOSED`
   */
  ready(): Promise<void>;

  /**
   * Replaces every worker, one after the other or `parallel` at a time: the new one serves before the old one stops. Calls at
   * once are one.
   *
   * @throws what the start of a new worker failed with; the old ones stay
   */
  reload(options?: Pick<ReloadOptions, 'parallel'>): Promise<void>;

  /**
   * Keeps so many workers, 1 to 1024. Those of the last places serve what they have. Resolves when they are gone, or the
   * new ones serve.
   *
   * @throws RangeError; DispatchError `ERR_CIRCUIT_OPEN`, `ERR_CLOSED`
   */
  scale(workers: number): Promise<void>;

  stats(): ClusterStats;

  /**
   * Runs a task once on every worker that serves, and gives each one's answer. What hangs is waited for unless
   * `options.timeoutMs` is set.
   */
  broadcast<M extends TaskMap, K extends keyof M & string>(
    task: K,
    input: InputOf<M, K>,
    options?: BroadcastOptions,
  ): Promise<PromiseSettledResult<OutputOf<M, K>>[]>;

  /** A dispatcher over the same workers. Its `drain()` and `close()` concern its own calls; the workers stay. */
  dispatcher<M extends TaskMap>(): Dispatcher<M>;

  /**
   * Calls the listener for each worker that serves, and for each that will; gives what ends that. With it a supervisor is
   * what a router of sockets asks for its workers, whose `connections` are then `external`.
   */
  subscribe(listener: (worker: ServingWorker) => void): () => void;

  /**
   * Replaces a worker that no longer takes sockets; for routers: its successor serves before it is stopped,
   * and it is killed when what it serves has not ended within `shutdown.lameDuckMs` + `shutdown.graceMs`.
   */
  replace(worker: Pick<ServingWorker, 'pid'>): void;

  /** Has every worker serve to the end what it has, and resolves when they are gone. Idempotent. */
  close(options?: CloseOptions): Promise<void>;
}
