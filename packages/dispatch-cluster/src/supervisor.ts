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

/** State of one worker of a cluster, by its latest report. */
export interface SupervisedWorker extends WorkerReport {
  /** Number from 1, unique within the cluster. */
  readonly workerId: number;
  /** Slot of the worker, from 0, which its successor takes over. */
  readonly slot: number;
  readonly pid: number | undefined;
  /** State of the worker. `retiring`: its successor works, its tasks end. `stopping`: it finishes its requests. */
  readonly state: 'starting' | 'ready' | 'retiring' | 'stopping';
  readonly ageMs: number;
  readonly memoryBytes: number | undefined;
  /** Process of the worker, to which a router sends sockets. */
  readonly process: ChildProcess | undefined;
}

/** Counts of a cluster since its start. */
export interface ClusterStats {
  readonly name: string;
  readonly state: DispatcherState;
  /** Requests served, by ended workers too. Workers report them twice a second and at their end. */
  readonly requests: number;
  readonly inFlight: number;
  readonly connections: number;
  /** Connections that wait, because there is no worker or each one has a connection to claim. */
  readonly waitingConnections: number;
  /** Connections closed because of `maxWaiting`, or answered with 503 because of `maxWaitMs`. */
  readonly droppedConnections: number;
  /** Workers replaced because they claimed no connection for `claimTimeoutMs`. */
  readonly wedgedWorkers: number;
  /** Bytes of all workers together, by their latest reports. */
  readonly memoryBytes: number;
  readonly workers: readonly SupervisedWorker[];
  /** Figures of the workers' pool: restarts, circuit, and the tasks of all dispatchers. */
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
  /** Follows too many failed workers, the last one with `error`. From time to time one worker is started as a probe. */
  'circuit-open': [{ readonly error: unknown }];
  /** Follows a failed reload by SIGHUP (option `signals`) or by a change (option `watch`); the old workers stay. */
  'reload-failed': [{ readonly error: unknown }];
  /** Precedes a reload by option `watch`. */
  'files-changed': [{ readonly paths: readonly string[] }];
  /** Follows an error by which files of option `watch` are no longer watched. */
  'watch-failed': [{ readonly error: unknown }];
}

/** A worker to which a router may send sockets. */
export interface ServingWorker {
  /** Slot of the worker, which its successor takes over. */
  readonly slot: string;
  readonly pid: number | undefined;
  readonly channel: ChildProcess;
  /** True if the worker's `clusterWorker` has the option `attach`: a router has no use for any other worker. */
  readonly attached: boolean;
}

/** Supervises the workers of a cluster. */
export interface Supervisor extends AsyncDisposable {
  readonly events: EventEmitter<ClusterEvents>;
  readonly state: DispatcherState;
  /** Option `connections` of the cluster: a router takes `external` workers only. */
  readonly connections: 'shared' | 'external';
  readonly workers: readonly SupervisedWorker[];

  /**
   * Resolves when every worker serves; also when `close()` ends the start, by the program or a signal, which `state` shows.
   *
   * @throws DispatchError `ERR_CIRCUIT_OPEN`, whose `cause` is the reason
   */
  ready(): Promise<void>;

  /**
   * Replaces every worker, one after the other or `parallel` at a time: the new one serves before the old one stops.
   * Concurrent calls share one reload.
   *
   * @throws the error of a new worker's failed start; the old workers stay
   */
  reload(options?: Pick<ReloadOptions, 'parallel'>): Promise<void>;

  /**
   * Changes the number of workers, 1 to 1024. Workers of the last slots finish their requests. Resolves when they are gone,
   * or the new workers serve.
   *
   * @throws RangeError; DispatchError `ERR_CIRCUIT_OPEN`, `ERR_CLOSED`
   */
  scale(workers: number): Promise<void>;

  stats(): ClusterStats;

  /**
   * Runs a task once on every worker that serves, as `broadcast` of every dispatcher does. With `later`, workers that start later
   * run it too, after their server has begun to listen and before they take calls.
   */
  broadcast<M extends TaskMap, K extends keyof M & string>(
    task: K,
    input: InputOf<M, K>,
    options?: BroadcastOptions,
  ): Promise<BroadcastOutcome<OutputOf<M, K>>[]>;

  /** Returns a dispatcher over the workers. Its `drain()` and `close()` concern its own calls; the workers stay. */
  dispatcher<M extends TaskMap>(): Dispatcher<M>;
  dispatcher<S extends TaskSource>(): Dispatcher<TasksOf<S>>;

  /**
   * Calls the listener for each worker that serves, now and later. Returns a function that ends the subscription. For socket
   * routers, with `connections: 'external'`.
   */
  subscribe(listener: (worker: ServingWorker) => void): () => void;

  /**
   * Replaces a worker that no longer takes sockets, for routers. Its successor serves before the worker is stopped; the worker is
   * killed if it does not end within `shutdown.graceMs`.
   */
  replace(worker: Pick<ServingWorker, 'pid'>): void;

  /**
   * Lets every worker finish its requests, and resolves when all are gone: within `graceMs` milliseconds, 0 to 2^31-1, after which
   * workers are killed. Default `shutdown.graceMs`. Idempotent.
   */
  close(options?: CloseOptions): Promise<void>;
}
