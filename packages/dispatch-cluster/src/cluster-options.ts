import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock, PoolOptions, TaskMap, TaskModule } from '@ticketing/dispatch';
import { outputRule, resolvePoolOptions, type WorkerOutput } from '@ticketing/dispatch/transport';
import {
  aFlag,
  aName,
  anObject,
  aShare,
  atLeast,
  aUrl,
  between,
  MAX_TIMER_MS,
  oneOf,
  optionsOf,
  type Rules,
  required,
  resolveByRules,
  restartRules,
  texts,
  usableCores,
  whole,
  wholeBetween,
  withMethods,
  wordOr,
} from '@ticketing/kit';
import { type ClusterShutdown, resolveShutdown, shutdownRules } from './shutdown-options.ts';
import { isModule } from './worker/worker-options.ts';

/** Limits at which a healthy worker is replaced. */
interface ClusterRecycle {
  /** Requests served, a positive integer. */
  readonly requests?: number | undefined;
  /** Age of the worker in milliseconds, 1 or more. */
  readonly ageMs?: number | undefined;
  /** Bytes of the process, 1 or more. */
  readonly rssBytes?: number | undefined;
  /** Bytes of the JavaScript heap in use, 1 or more. */
  readonly heapBytes?: number | undefined;
  /** Share of time in which the event loop is busy, above 0 and at most 1, exceeded in three checks of `heartbeatMs` in a row. */
  readonly utilisation?: number | undefined;
  /** Largest share, 0 to 1, by which each limit except `utilisation` is reduced at random. Default 0.1. */
  readonly jitter?: number | undefined;
}

/** Options of `startCluster`. */
export interface ClusterOptions {
  /** Program of the workers, which calls `clusterWorker`. */
  readonly entry: URL;
  /** Number of workers, 1 to 1024; `auto`: one per core that this process may use, within the CPU limit of its container. Default `auto`. */
  readonly workers?: number | 'auto' | undefined;
  /**
   * Way in which workers get connections. `round-robin`: this process accepts, and gives connections to the workers in turn;
   * `shared`: each worker accepts from the system. `node:cluster` has one policy per process. Default `round-robin`.
   */
  readonly schedulingPolicy?: 'round-robin' | 'shared' | undefined;
  /** Source of the workers' connections. `shared`: the workers listen; `external`: they do not, and a router hands over sockets. Default `shared`. */
  readonly connections?: 'shared' | 'external' | undefined;
  /** Limits for workers that fail, as in every pool: `backoffMs`, and `maxFailures` tolerated failures in `withinMs`. */
  readonly restart?: NonNullable<PoolOptions['restart']> | undefined;
  /** Limits at which a healthy worker is replaced. Default: none. */
  readonly recycle?: ClusterRecycle | undefined;
  /** Time limits for the end of a worker. */
  readonly shutdown?: ClusterShutdown | undefined;
  /** Milliseconds between two checks that a worker is alive, 1 to 2^31-1. A worker that does not answer until the next check is replaced. Default 5000. */
  readonly heartbeatMs?: number | undefined;
  /** Milliseconds in which a worker must listen, 1 to 2^31-1. Default 30,000. */
  readonly startTimeoutMs?: number | undefined;
  /**
   * Milliseconds, 1 to 2^31-1, after which a worker is replaced although it is alive, because it claims none of the connections
   * that are handed over to it. This happens when it has run out of descriptors. Default 10,000.
   */
  readonly claimTimeoutMs?: number | undefined;
  /**
   * Most connections that wait in this process for a worker, 0 to 2^31-1; the next one is closed. Default 10,000.
   */
  readonly maxWaiting?: number | undefined;
  /**
   * Milliseconds from the arrival of a connection, 1 to 2^31-1, within which it is answered with 503 and `Retry-After` if no worker
   * has claimed it, even while no worker is ready. A connection without an unencrypted HTTP/1 request is closed instead. With
   * `schedulingPolicy: 'shared'` the limit applies only while there is no worker. Default: `startTimeoutMs`.
   */
  readonly maxWaitMs?: number | undefined;
  /** Options of the dispatchers over the workers, as in every pool. */
  readonly dispatch?:
    | Pick<PoolOptions, 'window' | 'maxQueue' | 'maxWaitMs' | 'abortGraceMs'>
    | undefined;
  /** Tasks that workers may run in this process by `primaryDispatcher`. Default: none. */
  readonly primaryTasks?: TaskModule<TaskMap> | undefined;
  /**
   * Value for each worker at its start, for the hook `setup` and for its tasks as `context.workerData`; or a function of the
   * worker's slot that returns the value, as in every pool. Default: none.
   */
  readonly workerData?: unknown;
  /**
   * Environment of the workers, without `TICKETING_WORKER_SLOT`, which is set to the worker's slot. Unless it configures malloc,
   * glibc keeps up to 64 MiB of freed memory. Default: the environment of this process.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Node options of the workers. They come after the inherited options of this process; with its `--inspect` each worker has a port of its own. Default: none. */
  readonly execArgv?: readonly string[] | undefined;
  /** Arguments of the workers. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Ends busy workers by a small shell when this process is killed. Default `true`. */
  readonly killWithParent?: boolean | undefined;
  /**
   * Target of the workers' standard output and error. `inherit` writes them to the streams of this process, `ignore` drops them;
   * a function gets `(chunk, { stream, workerId })`, and the worker waits for the promise that it returns. A worker also waits
   * while the standard error of this process is full. Errors always have the end of standard error. Default `inherit`.
   */
  readonly output?: WorkerOutput | undefined;
  /**
   * Lets signals of this process close or reload the cluster. The first SIGTERM or SIGINT closes it: requests in flight have the
   * time of `shutdown`, then workers are killed, and the process exits with 0 if nothing else holds it. Further ones change
   * nothing. SIGHUP reloads as soon as all workers serve. Default `false`.
   */
  readonly signals?: boolean | undefined;
  /**
   * Reloads the cluster when files of the program change, as `reload()` does: for development. `true` watches the folder of `entry`
   * with all in it; a list has URLs of files and folders. In folders only code counts (`.js`, `.ts` and their kin, `.node`, `.wasm`),
   * but for `node_modules` and names that begin with a dot. Default `false`.
   */
  readonly watch?: boolean | readonly URL[] | undefined;
  /** Name of the cluster in errors, statistics and diagnostics. Default `cluster`. */
  readonly name?: string | undefined;
  /** Clock, for tests. Default: the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** {@link ClusterOptions} with their defaults filled in. */
type Filled = {
  readonly [K in Exclude<keyof ClusterOptions, Absent>]-?: NonNullable<ClusterOptions[K]>;
} & Pick<ClusterOptions, Absent>;
type Absent = 'env' | 'primaryTasks' | 'workerData' | 'clock' | 'maxWaitMs';

/** {@link ClusterOptions}, filled and checked, in two parts: for the pool and for the cluster. */
export interface ResolvedClusterOptions {
  readonly pool: PoolOptions & { readonly name: string };
  readonly cluster: Omit<
    Filled,
    'restart' | 'recycle' | 'shutdown' | 'dispatch' | 'name' | 'workerData' | 'maxWaitMs' | 'watch'
  > & {
    /** Paths of files and folders whose change reloads the cluster. */
    readonly watch: readonly string[];
    readonly maxRequests: number | undefined;
    readonly jitter: number;
    readonly lameDuckMs: number;
    readonly graceMs: number;
    readonly maxWaitMs: number;
  };
}

const MAX_WORKERS = 1024;

const recycleRules = {
  requests: whole(),
  ageMs: atLeast(1),
  rssBytes: atLeast(1),
  heapBytes: atLeast(1),
  utilisation: aShare,
  jitter: between(0, 1, 0.1),
} satisfies Rules;

const dispatchRules = {
  window: wordOr('auto', wholeBetween(1, 65_536)),
  maxQueue: wholeBetween(0, MAX_TIMER_MS, 10_000),
  maxWaitMs: atLeast(0, Number.POSITIVE_INFINITY),
  abortGraceMs: between(0, MAX_TIMER_MS, 1000),
} satisfies Rules;

const clusterRules = {
  entry: required(aUrl),
  workers: wordOr('auto', wholeBetween(1, MAX_WORKERS)),
  schedulingPolicy: oneOf('round-robin', 'shared'),
  connections: oneOf('shared', 'external'),
  restart: optionsOf(restartRules),
  recycle: optionsOf(recycleRules),
  shutdown: optionsOf(shutdownRules),
  heartbeatMs: between(1, MAX_TIMER_MS, 5000),
  startTimeoutMs: between(1, MAX_TIMER_MS, 30_000),
  claimTimeoutMs: between(1, MAX_TIMER_MS, 10_000),
  maxWaiting: wholeBetween(0, MAX_TIMER_MS, 10_000),
  maxWaitMs: between(1, MAX_TIMER_MS),
  dispatch: optionsOf(dispatchRules),
  primaryTasks: { expected: 'made by defineTasks', test: isModule },
  workerData: { expected: 'a value', test: () => true },
  env: anObject,
  execArgv: { ...texts, fallback: [] },
  args: { ...texts, fallback: [] },
  killWithParent: { ...aFlag, fallback: true },
  output: outputRule,
  signals: { ...aFlag, fallback: false },
  watch: {
    expected: 'true, false or a list of URLs of files and folders',
    test: (value: unknown) =>
      typeof value === 'boolean' || (Array.isArray(value) && value.every(isFileUrl)),
    fallback: false,
  },
  name: { ...aName, fallback: 'cluster' },
  clock: withMethods('now', 'setTimeout', 'clearTimeout'),
} satisfies Rules & Record<keyof ClusterOptions, unknown>;

/**
 * Fills and checks the options of a cluster.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function resolveClusterOptions(
  action: string,
  options: ClusterOptions,
): ResolvedClusterOptions {
  const filled = resolveByRules<Filled>(action, options, clusterRules);
  const { restart, recycle, shutdown, dispatch, name, clock, workerData: _, ...cluster } = filled;
  const { requests, ...recycled } = resolveByRules<
    NonNullable<PoolOptions['recycle']> & { readonly requests?: number; readonly jitter: number }
  >(action, recycle, recycleRules, 'recycle');
  if (cluster.signals && cluster.connections === 'external') {
    throw new TypeError(
      `Cannot ${action}: \`signals\` must be false with \`connections\` external; give \`signals\` to the router, which ends before its workers`,
    );
  }
  const end = resolveShutdown(action, shutdown);
  const workers =
    cluster.workers === 'auto' ? Math.min(MAX_WORKERS, usableCores()) : cluster.workers;
  const pool: ResolvedClusterOptions['pool'] = {
    ...resolveByRules<typeof dispatch>(action, dispatch, dispatchRules, 'dispatch'),
    name,
    min: workers,
    max: workers,
    stopGraceMs: end.graceMs,
    startTimeoutMs: cluster.startTimeoutMs,
    healthMs: cluster.heartbeatMs,
    recycle: recycled,
    restart,
    workerData: options.workerData,
    ...(clock === undefined ? {} : { clock }),
  };
  // The kernel fills the options; this call checks `restart` in the name of this action.
  resolvePoolOptions(action, 'cluster', pool);
  const { maxWaitMs = cluster.startTimeoutMs } = cluster;
  const watch = watchedPaths(cluster);
  return {
    pool,
    cluster: {
      ...cluster,
      ...end,
      watch,
      maxWaitMs,
      maxRequests: requests,
      jitter: recycled.jitter,
    },
  };
}

function isFileUrl(value: unknown): boolean {
  return aUrl.test(value) && (value as URL).protocol === 'file:';
}

function watchedPaths({ watch, entry }: Pick<Filled, 'watch' | 'entry'>): readonly string[] {
  if (watch === false) return [];
  // Without the slash that a folder's URL may end with.
  return (watch === true ? [new URL('.', entry)] : watch).map((url) => resolve(fileURLToPath(url)));
}
