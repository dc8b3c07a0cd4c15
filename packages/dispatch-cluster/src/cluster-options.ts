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
  wrongOption,
} from '@ticketing/kit';
import { isModule } from './worker/worker-options.ts';

/** When a healthy worker is replaced. */
interface ClusterRecycle {
  /** Requests, a positive integer. */
  readonly requests?: number | undefined;
  /** Milliseconds of life, 1 or more. */
  readonly ageMs?: number | undefined;
  /** Bytes of the process, 1 or more. */
  readonly rssBytes?: number | undefined;
  /** Bytes of the JavaScript heap in use, 1 or more. */
  readonly heapBytes?: number | undefined;
  /** Share of time in which the event loop is busy, above 0, to 1, between three checks of `heartbeatMs` in a row. */
  readonly utilisation?: number | undefined;
  /** Largest share that is taken off each limit, but `utilisation`, at random, 0 to 1. Default 0.1. */
  readonly jitter?: number | undefined;
}

/** How a worker ends. */
interface ClusterShutdown {
  /**
   * Milliseconds of `graceMs` in which clients that keep their connection get an answer with `Connection: close`, 0 to
   * `graceMs`. Default 2000, half of `graceMs` at most.
   */
  readonly lameDuckMs?: number | undefined;
  /**
   * Milliseconds in which a worker must have ended, 0 to 2^31-1; then it is killed. Requests in flight are cut half a second
   * before, and of less than a second at half of it, so that the program can close what it has open. Default 8000.
   */
  readonly graceMs?: number | undefined;
}

/** How a cluster keeps its workers. */
export interface ClusterOptions {
  /** The program of the workers, which calls `clusterWorker`. */
  readonly entry: URL;
  /** Workers, 1 to 1024. Default `auto`: one for each core that this process may use, by a CPU limit of its container as well. */
  readonly workers?: number | 'auto' | undefined;
  /**
   * How workers get connections: from this process in turn, or from the system, which lets each accept. `node:cluster` has
   * one policy per process. Default `round-robin`.
   */
  readonly schedulingPolicy?: 'round-robin' | 'shared' | undefined;
  /** `external`: workers do not listen; a router hands them sockets. Default `shared`. */
  readonly connections?: 'shared' | 'external' | undefined;
  /** As in every pool: `backoffMs`, and `maxFailures` tolerated failures in `withinMs`. */
  readonly restart?: NonNullable<PoolOptions['restart']> | undefined;
  /** When a healthy worker is replaced. Default: never. */
  readonly recycle?: ClusterRecycle | undefined;
  /** How a worker ends. */
  readonly shutdown?: ClusterShutdown | undefined;
  /** A worker is asked whether it is alive this often, and is replaced if it does not answer within this time: 1 to 2^31-1 ms. Default 5000. */
  readonly heartbeatMs?: number | undefined;
  /** Milliseconds in which a worker must listen, 1 to 2^31-1. Default 30,000. */
  readonly startTimeoutMs?: number | undefined;
  /**
   * Milliseconds, 1 to 2^31-1, after which a worker is replaced that is alive and claims none of the connections that it is
   * handed, as happens when it has run out of descriptors. Default 10,000.
   */
  readonly claimTimeoutMs?: number | undefined;
  /**
   * Connections that may wait in this process for a worker, 0 to 2^31-1; the next one is closed. Default 10,000.
   */
  readonly maxWaiting?: number | undefined;
  /**
   * Milliseconds, 1 to 2^31-1, from its arrival, within which a connection that no worker has claimed is answered with 503 and
   * `Retry-After`, also while no worker is ready; one that has sent no HTTP/1 request in the clear is closed. With
   * `schedulingPolicy: 'shared'` it counts only while there is no worker. Default: `startTimeoutMs`.
   */
  readonly maxWaitMs?: number | undefined;
  /** For the dispatchers over the workers, as in every pool. */
  readonly dispatch?:
    | Pick<PoolOptions, 'window' | 'maxQueue' | 'maxWaitMs' | 'abortGraceMs'>
    | undefined;
  /** Tasks that workers may run in this process: see `primaryDispatcher`. Default: none. */
  readonly primaryTasks?: TaskModule<TaskMap> | undefined;
  /**
   * What each worker gets at its start, for its tasks as `context.workerData` and for the hook `setup`: a value, or a function of
   * the worker's slot that returns one, as in every pool. Default: none.
   */
  readonly workerData?: unknown;
  /** Environment of the workers, beside `TICKETING_WORKER_SLOT`, the worker's slot. Default: that of this process. Unless it configures malloc, glibc keeps up to 64 MiB of freed memory. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Node options of the workers, after those that they inherit from this process; with its `--inspect` each has a port of its own. Default: none. */
  readonly execArgv?: readonly string[] | undefined;
  /** Arguments of the workers. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Whether a small shell ends busy workers when this process is killed. Default `true`. */
  readonly killWithParent?: boolean | undefined;
  /**
   * Where the workers' standard output and error go: `inherit` (default) writes them to those of this process, `ignore` drops
   * them; a function gets `(chunk, { stream, workerId })`, and the worker waits for a promise that it returns. A worker also
   * waits while our own standard error is full. Errors always keep the last part of standard error.
   */
  readonly output?: WorkerOutput | undefined;
  /**
   * Whether signals of this process close or reload the cluster. The first SIGTERM or SIGINT closes it: requests in flight
   * have the time of `shutdown`, then workers are killed, and the process exits with 0 if nothing else holds it; further ones
   * change nothing. SIGHUP reloads as soon as all workers serve. Default `false`.
   */
  readonly signals?: boolean | undefined;
  /** Names the cluster in errors, statistics and diagnostics. Default `cluster`. */
  readonly name?: string | undefined;
  /** For tests. Default: the platform's. */
  readonly clock?: Clock | undefined;
}

/** {@link ClusterOptions}, filled. */
type Filled = {
  readonly [K in Exclude<keyof ClusterOptions, Absent>]-?: NonNullable<ClusterOptions[K]>;
} & Pick<ClusterOptions, Absent>;
type Absent = 'env' | 'primaryTasks' | 'workerData' | 'clock' | 'maxWaitMs';

/** {@link ClusterOptions}, filled and checked: for the pool and for the cluster. */
export interface ResolvedClusterOptions {
  readonly pool: PoolOptions;
  readonly cluster: Omit<
    Filled,
    'restart' | 'recycle' | 'shutdown' | 'dispatch' | 'name' | 'workerData' | 'maxWaitMs'
  > & {
    readonly maxRequests: number | undefined;
    readonly jitter: number;
    readonly lameDuckMs: number;
    readonly graceMs: number;
    readonly maxWaitMs: number;
  };
}

const MAX_WORKERS = 1024;
/** Default of `shutdown.lameDuckMs`. */
const LAME_DUCK_MS = 2000;

const recycleRules = {
  requests: whole(),
  ageMs: atLeast(1),
  rssBytes: atLeast(1),
  heapBytes: atLeast(1),
  utilisation: aShare,
  jitter: between(0, 1, 0.1),
} satisfies Rules;

const shutdownRules = {
  lameDuckMs: between(0, MAX_TIMER_MS),
  graceMs: between(0, MAX_TIMER_MS, 8000),
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
  const pool: PoolOptions = {
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
  // The kernel fills them; this checks `restart` in the name of this action.
  resolvePoolOptions(action, 'cluster', pool);
  const { maxWaitMs = cluster.startTimeoutMs } = cluster;
  return {
    pool,
    cluster: { ...cluster, ...end, maxWaitMs, maxRequests: requests, jitter: recycled.jitter },
  };
}

/** @throws RangeError for a `lameDuckMs` above `graceMs`, which includes it */
function resolveShutdown(
  action: string,
  shutdown: Filled['shutdown'],
): { readonly lameDuckMs: number; readonly graceMs: number } {
  const { graceMs, lameDuckMs = Math.min(LAME_DUCK_MS, graceMs / 2) } = resolveByRules<{
    readonly graceMs: number;
    readonly lameDuckMs?: number;
  }>(action, shutdown, shutdownRules, 'shutdown');
  if (lameDuckMs > graceMs) {
    const expected = `0 to \`graceMs\` (${graceMs})`;
    throw wrongOption(action, 'shutdown.lameDuckMs', { expected, range: true }, lameDuckMs);
  }
  return { graceMs, lameDuckMs };
}
