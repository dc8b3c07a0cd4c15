import os from 'node:os';
import type { Clock, PoolOptions, TaskMap, TaskModule } from '@ticketing/dispatch';
import { outputRule, resolvePoolOptions, type WorkerOutput } from '@ticketing/dispatch/transport';
import {
  aFlag,
  aName,
  anObject,
  atLeast,
  between,
  MAX_TIMER_MS,
  type Rule,
  type Rules,
  resolveByRules,
  whole,
  wholeBetween,
  withMethods,
  wordOr,
  wrongOption,
} from '@ticketing/kit';
import { isModule, isUrl } from './worker/worker-options.ts';

/** How a cluster keeps its workers. */
export interface ClusterOptions {
  /** The program of the workers, which calls `clusterWorker`. */
  readonly entry: URL;
  /** Workers, 1 to 1024. Default `auto`: one for each core. */
  readonly workers?: number | 'auto';
  /**
   * Who gives connections to workers: this process in turn, or the system as they come. `node:cluster` has one policy for
   * the whole process. Default `round-robin`.
   */
  readonly schedulingPolicy?: 'round-robin' | 'shared';
  /** `external`: workers do not listen, another gives them sockets. Default `shared`. */
  readonly connections?: 'shared' | 'external';
  /** As of every pool: `backoffMs`, and `intensity` tolerated failures in `periodMs`. */
  readonly restart?: NonNullable<PoolOptions['restart']>;
  /** When a worker is replaced though nothing is wrong with it. Default: never. */
  readonly recycle?: {
    /** Requests, a positive integer. */
    readonly requests?: number;
    /** Milliseconds of life, 1 or more. */
    readonly ageMs?: number;
    /** Bytes of the process, 1 or more. */
    readonly rssBytes?: number;
    /** How much of each limit is taken off at random: 0 to 1. Default 0.1. */
    readonly jitter?: number;
  };
  /** How a worker ends. */
  readonly shutdown?: {
    /** Milliseconds that clients have to take their next answer with `Connection: close`, 0 to 2^30. Default 5000. */
    readonly lameDuckMs?: number;
    /** Milliseconds that what is in flight then still has, 0 to 2^30; then the worker is killed. Default 10,000. */
    readonly graceMs?: number;
  };
  /** A worker must answer within this time of a question that is asked as often, 1 to 2^31-1 ms; else it is replaced. Default 5000. */
  readonly heartbeatMs?: number;
  /** Milliseconds a worker has until it listens, 1 to 2^31-1. Default 30,000. */
  readonly startTimeoutMs?: number;
  /**
   * Milliseconds, 1 to 2^31-1, after which a worker is replaced that lives and claims no connection that it was handed, as
   * happens when it has run out of descriptors. Default 10,000.
   */
  readonly claimTimeoutMs?: number;
  /**
   * Connections that wait in this process for a worker, 0 to 2^31-1; the next one is closed. They wait for
   * `startTimeoutMs` at most, which holds when every worker has ended too. Default 10,000.
   */
  readonly maxWaiting?: number;
  /** Of the dispatchers over the workers; as of every pool. */
  readonly dispatch?: Pick<PoolOptions, 'window' | 'maxQueue' | 'maxWaitMs' | 'abortGraceMs'>;
  /** Tasks that workers may run in this process: see `primaryDispatcher`. Default: none. */
  readonly primaryTasks?: TaskModule<TaskMap>;
  /** Environment of the workers. Default: that of this process. Unless it sets malloc up, glibc is told to keep up to 64 MiB of freed memory. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Node options of the workers, after those of this process that are not for it alone. Default: none. */
  readonly execArgv?: readonly string[];
  /** Arguments of the workers. Default: none. */
  readonly args?: readonly string[];
  /** Whether a small shell ends workers that are busy when this process is killed. Default `true`. */
  readonly orphanGuard?: boolean;
  /**
   * What becomes of what the workers write to standard output and error: `inherit` (default) writes it to those of this
   * process, `ignore` drops it; a function gets `(chunk, { stream, workerId })`, and a promise that it returns has that
   * worker wait. A worker waits too while our own standard error is full. Errors keep the last of standard error anyhow.
   */
  readonly output?: WorkerOutput;
  /**
   * Whether signals of this process are heeded until the cluster is closed. The first SIGTERM or SIGINT closes it: what is in
   * flight has the time that `shutdown` gives, then workers are killed, and the process ends with 0 if nothing else holds it;
   * more of them change nothing. SIGHUP reloads, as soon as all workers serve. Default `false`.
   */
  readonly signals?: boolean;
  /** Names the cluster in errors, statistics and diagnostics. Default `cluster`. */
  readonly name?: string;
  /** For tests. Default: the platform's. */
  readonly clock?: Clock;
}

/** {@link ClusterOptions}, filled and checked; `pool` is checked by the kernel. */
export interface ResolvedClusterOptions {
  readonly pool: PoolOptions;
  readonly cluster: {
    readonly entry: URL;
    readonly schedulingPolicy: 'round-robin' | 'shared';
    readonly connections: 'shared' | 'external';
    readonly claimTimeoutMs: number;
    readonly maxWaiting: number;
    readonly maxRequests: number | undefined;
    readonly jitter: number;
    readonly lameDuckMs: number;
    readonly graceMs: number;
    readonly primaryTasks: TaskModule<TaskMap> | undefined;
    readonly env: Readonly<Record<string, string | undefined>> | undefined;
    readonly execArgv: readonly string[];
    readonly args: readonly string[];
    readonly orphanGuard: boolean;
    readonly output: WorkerOutput;
    readonly signals: boolean;
  };
}

const MAX_WORKERS = 1024;
/** A worker that has cut what was left at the end of its grace has so long to exit. */
export const END_MARGIN_MS = 500;
/** Both parts of a worker's end make one timer. */
const MAX_END_MS = 2 ** 30;

const texts: Rule = {
  expected: 'an array of texts',
  fallback: [],
  test: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};

const clusterRules = {
  entry: { expected: 'a URL', test: isUrl },
  workers: wordOr('auto', wholeBetween(1, MAX_WORKERS)),
  schedulingPolicy: oneOf('round-robin', 'shared'),
  connections: oneOf('shared', 'external'),
  restart: { ...anObject, fallback: {} },
  recycle: { ...anObject, fallback: {} },
  shutdown: { ...anObject, fallback: {} },
  heartbeatMs: between(1, MAX_TIMER_MS, 5000),
  startTimeoutMs: between(1, MAX_TIMER_MS, 30_000),
  claimTimeoutMs: between(1, MAX_TIMER_MS, 10_000),
  maxWaiting: wholeBetween(0, MAX_TIMER_MS, 10_000),
  dispatch: { ...anObject, fallback: {} },
  primaryTasks: { expected: 'made by defineTasks', test: isModule },
  env: anObject,
  execArgv: texts,
  args: texts,
  orphanGuard: { ...aFlag, fallback: true },
  output: outputRule,
  signals: { ...aFlag, fallback: false },
  name: { ...aName, fallback: 'cluster' },
  clock: withMethods('now', 'setTimeout', 'clearTimeout'),
} satisfies Rules & Record<keyof ClusterOptions, unknown>;

const recycleRules = {
  requests: whole(),
  ageMs: atLeast(1),
  rssBytes: atLeast(1),
  jitter: between(0, 1, 0.1),
} satisfies Rules;

const shutdownRules = {
  lameDuckMs: between(0, MAX_END_MS, 5000),
  graceMs: between(0, MAX_END_MS, 10_000),
} satisfies Rules;

const dispatchRules = {
  window: wordOr('auto', wholeBetween(1, 65_536)),
  maxQueue: wholeBetween(0, MAX_TIMER_MS, 10_000),
  maxWaitMs: atLeast(0, Number.POSITIVE_INFINITY),
  abortGraceMs: between(0, MAX_TIMER_MS, 1000),
} satisfies Rules;

type Given = Required<Omit<ClusterOptions, 'env' | 'primaryTasks' | 'clock'>> &
  Pick<ClusterOptions, 'env' | 'primaryTasks' | 'clock'>;

/**
 * Fills and checks the options of a cluster.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function resolveClusterOptions(
  action: string,
  options: ClusterOptions,
): ResolvedClusterOptions {
  const given = resolveByRules<Given>(action, options, clusterRules);
  if (given.entry === undefined) throw wrongOption(action, 'entry', clusterRules.entry, undefined);
  const { recycle, shutdown, dispatch, clock, name } = given;
  const { requests, ...recycled } = resolveByRules<
    NonNullable<ClusterOptions['recycle']> & { readonly jitter: number }
  >(action, recycle, recycleRules, 'recycle');
  const ending = resolveByRules<Required<typeof shutdown>>(
    action,
    shutdown,
    shutdownRules,
    'shutdown',
  );
  const tasks = resolveByRules<typeof dispatch>(action, dispatch, dispatchRules, 'dispatch');
  const workers =
    given.workers === 'auto' ? Math.min(MAX_WORKERS, os.availableParallelism()) : given.workers;
  const pool: PoolOptions = {
    ...tasks,
    name,
    min: workers,
    max: workers,
    stopGraceMs: ending.lameDuckMs + ending.graceMs + END_MARGIN_MS,
    startTimeoutMs: given.startTimeoutMs,
    healthMs: given.heartbeatMs,
    recycle: recycled,
    restart: given.restart,
    ...(clock === undefined ? {} : { clock }),
  };
  // The kernel fills them; what is wrong with `restart` is to be said of this action.
  resolvePoolOptions(action, 'cluster', pool);
  return {
    pool,
    cluster: {
      entry: given.entry,
      schedulingPolicy: given.schedulingPolicy,
      connections: given.connections,
      claimTimeoutMs: given.claimTimeoutMs,
      maxWaiting: given.maxWaiting,
      maxRequests: requests,
      jitter: recycled.jitter,
      ...ending,
      primaryTasks: given.primaryTasks,
      env: given.env,
      execArgv: given.execArgv,
      args: given.args,
      orphanGuard: given.orphanGuard,
      output: given.output,
      signals: given.signals,
    },
  };
}

function oneOf(...words: readonly [string, ...string[]]): Rule {
  return {
    expected: words.join(' or '),
    fallback: words[0],
    test: (value) => words.includes(value as string),
  };
}
