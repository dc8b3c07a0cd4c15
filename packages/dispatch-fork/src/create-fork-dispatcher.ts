import { fork } from 'node:child_process';
import { extname } from 'node:path';
import type { Dispatcher, PoolOptions, TaskMap } from '@ticketing/dispatch';
import {
  createDispatcher,
  createOrphanGuard,
  inheritedExecArgv,
  OutputSink,
  outputRule,
  splitPoolOptions,
  startWorker,
  type Transport,
  type WorkerEvents,
  type WorkerHandle,
  type WorkerOutput,
  type WorkerStart,
} from '@ticketing/dispatch/transport';
import { aFlag, type Rules, resolveByRules, wrongOption } from '@ticketing/kit';

/**
 * Creates a dispatcher whose workers are child processes that load `module`, whose default export `defineTasks` made.
 * A crash, a leak or a loop without end harms that worker's tasks alone. Close it: it holds processes. While it has
 * nothing to do it does not keep this process alive.
 *
 * @throws TypeError or RangeError for a module that is no URL, and for options that are unknown or out of range
 * @example
 * const dispatcher = createForkDispatcher<Tasks>(new URL('./tasks.js', import.meta.url), { max: 2 });
 * const answer = await dispatcher.run('search', { from: 'A', to: 'B' }, { timeoutMs: 1000 });
 */
export function createForkDispatcher<M extends TaskMap>(
  module: URL,
  options: ForkOptions = {},
): Dispatcher<M> {
  const action = 'create dispatcher';
  if (!isUrl(module)) throw wrongOption(action, 'module', { expected: 'a URL' }, module);
  const { pool, fork } = resolveForkOptions(action, options);
  return createDispatcher<M>(createForkTransport(module, fork), pool);
}

/** Makes workers that are child processes, and load the tasks of a module. */
function createForkTransport(module: URL, options: ResolvedForkOptions): Transport {
  const { env, workerUrl } = options;
  const guard = options.orphanGuard ? createOrphanGuard() : undefined;
  const output = new OutputSink(options.output);
  const execArgv = [...inheritedExecArgv(process.execArgv), ...options.execArgv];
  return {
    kind: 'fork',
    capabilities: { isolation: 'process', hardKill: true, transfer: false },
    autoWindow: { first: 8, max: 64 },
    spawn,
    close: () => guard?.close() ?? Promise.resolve(),
  };

  function spawn(worker: WorkerStart, events: WorkerEvents): WorkerHandle {
    const { workerId } = worker;
    const args = [String(workerId), (worker.module ?? module).href];
    const given = { ...(env && { env }), execArgv, serialization: 'advanced' } as const;
    return startWorker(
      { launch: (stdio) => fork(workerUrl, args, { ...given, stdio }), guard, workerId, output },
      events,
    );
  }
}

/** How a dispatcher keeps its child processes. */
export interface ForkOptions extends PoolOptions {
  /** Environment of the workers. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Node options of the workers, after those that this process was started with (so that its `--conditions` and
   * `--import` hold there too; its `--eval`, `--watch`, `--test` and `--inspect` do not). Default: none.
   */
  readonly execArgv?: readonly string[];
  /**
   * Whether a small shell ends workers that are busy when this process is killed; idle ones end in any case. Without
   * `/bin/sh` it makes no difference. Default `true`.
   */
  readonly orphanGuard?: boolean;
  /**
   * What becomes of what the workers write to standard output and error: `inherit` (default) writes it to those of this
   * process, `ignore` drops it; a function gets `(chunk, { stream, workerId })`, and a promise that it returns has that
   * worker wait. A worker waits too while our own standard error is full. Errors keep the last of standard error anyhow.
   */
  readonly output?: WorkerOutput;
  /** Program of the workers, for bundles: the URL of a copy of `@ticketing/dispatch-fork/worker`. Default: beside this one. */
  readonly workerUrl?: URL;
}

/** {@link ForkOptions} without those of the pool, filled and checked. */
interface ResolvedForkOptions {
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
  readonly execArgv: readonly string[];
  readonly orphanGuard: boolean;
  readonly output: WorkerOutput;
  readonly workerUrl: URL;
}

const forkRules = {
  env: { expected: 'an object', test: (value) => typeof value === 'object' && value !== null },
  execArgv: {
    expected: 'an array of texts',
    fallback: [],
    test: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  },
  orphanGuard: { ...aFlag, fallback: true },
  output: outputRule,
  workerUrl: { expected: 'a URL', test: isUrl },
} satisfies Rules;

/**
 * Parts the pool's options, which the kernel checks, from those of its processes.
 *
 * @throws TypeError for a value of the wrong type or an unknown option
 */
function resolveForkOptions(
  action: string,
  options: ForkOptions,
): { readonly pool: PoolOptions; readonly fork: ResolvedForkOptions } {
  const { pool, own } = splitPoolOptions(action, options);
  const given = resolveByRules<Omit<ResolvedForkOptions, 'workerUrl'> & ForkOptions>(
    action,
    own,
    forkRules,
  );
  return { pool, fork: { ...given, workerUrl: given.workerUrl ?? workerBesideThis() } };
}

/** Whether it is a URL, of this realm or another. */
function isUrl(value: unknown): value is URL {
  return Object.prototype.toString.call(value) === '[object URL]';
}

/** Runs from `src` as TypeScript and from `dist` as JavaScript; both have the worker in the same folder. */
function workerBesideThis(): URL {
  const { pathname } = new URL(import.meta.url);
  return new URL(`./worker${extname(pathname)}`, import.meta.url);
}
