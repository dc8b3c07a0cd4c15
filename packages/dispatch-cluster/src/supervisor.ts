import type { ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import type {
  BroadcastOptions,
  BroadcastOutcome,
  CloseOptions,
  Dispatcher,
  DispatcherState,
  DispatcherStats,
  InputOf,
  OutputOf,
  ReloadOptions,
  TaskMap,
  TaskSource,
  TasksOf,
} from '@ticketing/dispatch';
import type { WorkerReport } from './worker/worker-messages.ts';

/** A worker of a cluster, by its last report. */
export interface SupervisedWorker extends WorkerReport {
  /** Unique within the cluster, from 1. */
  readonly workerId: number;
  /** Its slot, from 0, which its successor takes over. */
  readonly slot: number;
  readonly pid: number | undefined;
  /** `retiring`: its successor works, its tasks end. `stopping`: it finishes its requests. */
  readonly state: 'starting' | 'ready' | 'retiring' | 'stopping';
  readonly ageMs: number;
  readonly memoryBytes: number | undefined;
  /** For routers, which send it sockets. */
  readonly process: ChildProcess | undefined;
}

/** Counters of a cluster since its start. */
export interface ClusterStats {
  readonly name: string;
  readonly state: DispatcherState;
  /** Requests served, also by past workers. Workers report them twice a second and at their end. */
  readonly requests: number;
  readonly inFlight: number;
  readonly connections: number;
  /** Connections that wait for a worker: there is none, or each has one to claim. */
  readonly waitingConnections: number;
  /** Connections that were closed because `maxWaiting` others waited, or answered with 503 because of `maxWaitMs`. */
  readonly droppedConnections: number;
  /** Workers that were replaced because they claimed no connection for `claimTimeoutMs`. */
  readonly wedgedWorkers: number;
  /** Bytes of all workers, by their last report. */
  readonly memoryBytes: number;
  readonly workers: readonly SupervisedWorker[];
  /** The pool of the workers: its restarts, its circuit, and the tasks of all dispatchers. */
  readonly dispatcher: DispatcherStats;
}

/** Events of a cluster. */
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
  /** Too many workers failed, the last one with `error`. A worker is started as a probe from time to time. */
  'circuit-open': [{ readonly error: unknown }];
  /** A reload by SIGHUP failed (option `signals`); the old workers stay. */
  'reload-failed': [{ readonly error: unknown }];
}

/** A worker that a router may send sockets. */
export interface ServingWorker {
  /** Its slot, which its successor takes over. */
  readonly slot: string;
  readonly pid: number | undefined;
  readonly channel: ChildProcess;
  /** Whether its `clusterWorker` has option `attach`: a router has no use for a worker without it. */
  readonly attached: boolean;
}

/** Supervises the workers of a cluster. */
export interface Supervisor extends AsyncDisposable {
  readonly events: EventEmitter<ClusterEvents>;
  readonly state: DispatcherState;
  /** How its workers get connections, as its option says: a router takes `external` ones only. */
  readonly connections: 'shared' | 'external';
  readonly workers: readonly SupervisedWorker[];

  /**
   * Resolves when every worker serves, and when `close()` has ended the start, by the program or a signal: `state` shows it.
   *
   * @throws DispatchError `ERR_CIRCUIT_OPEN`, whose `cause` says why
   */
  ready(): Promise<void>;

  /**
   * Replaces every worker, one after the other or `parallel` at a time: the new one serves before the old one stops.
   * Concurrent calls share one reload.
   *
   * @throws the error with which a new worker failed to start; the old ones stay
   */
  reload(options?: Pick<ReloadOptions, 'parallel'>): Promise<void>;

  /**
   * Changes the number of workers, 1 to 1024. Those of the last slots finish their requests. Resolves when they are gone,
   * or the new ones serve.
   *
   * @throws RangeError; DispatchError `ERR_CIRCUIT_OPEN`, `ERR_CLOSED`
   */
  scale(workers: number): Promise<void>;

  stats(): ClusterStats;

  /**
   * Runs a task once on every worker that serves, as `broadcast` of every dispatcher does; with `later` on each that starts
   * later too, after its server has begun to listen and before it takes calls.
   */
  broadcast<M extends TaskMap, K extends keyof M & string>(
    task: K,
    input: InputOf<M, K>,
    options?: BroadcastOptions,
  ): Promise<BroadcastOutcome<OutputOf<M, K>>[]>;

  /** Returns a dispatcher over the same workers. Its `drain()` and `close()` concern its own calls; the workers stay. */
  dispatcher<M extends TaskMap>(): Dispatcher<M>;
  dispatcher<S extends TaskSource>(): Dispatcher<TasksOf<S>>;

  /**
   * Calls the listener for each worker that serves, now and later. Returns a function that ends this. For socket routers,
   * with `connections: 'external'`.
   */
  subscribe(listener: (worker: ServingWorker) => void): () => void;

  /**
   * Replaces a worker that no longer takes sockets, for routers: its successor serves before it is stopped. It is killed if
   * it has not ended within `shutdown.graceMs`.
   */
  replace(worker: Pick<ServingWorker, 'pid'>): void;

  /**
   * Has every worker finish its requests. Resolves when all are gone, which is within `graceMs` milliseconds, 0 to 2^31-1;
   * default `shutdown.graceMs`. Workers that are left are killed then. Idempotent.
   */
  close(options?: CloseOptions): Promise<void>;
}
