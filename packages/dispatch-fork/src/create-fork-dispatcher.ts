import { fork, type StdioOptions } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Dispatcher, PoolOptions, TaskMap, TaskSource, TasksOf } from '@ticketing/dispatch';
import {
  createDispatcher,
  createOrphanGuard,
  OutputSink,
  outputRule,
  processWindow,
  slotVariable,
  splitPoolOptions,
  startWorker,
  type Transport,
  type WorkerEvents,
  type WorkerHandle,
  type WorkerOutput,
  type WorkerStart,
} from '@ticketing/dispatch/transport';
import {
  aFlag,
  aName,
  anObject,
  aUrl,
  inheritedExecArgv,
  inheritedNodeOptions,
  inspectorOption,
  nestingVariable,
  opensInspector,
  type Rule,
  type Rules,
  refuseNesting,
  resolveByRules,
  texts,
  type WorkerProgram,
  wholeBetween,
  workerProgram,
  wrongOption,
} from '@ticketing/kit';

/** Options of a dispatcher whose workers are child processes. */
export interface ForkOptions extends PoolOptions {
  /** Environment of the workers, without `TICKETING_WORKER_SLOT`, which is set to the worker's slot. Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Working directory of the workers, a path or a file URL; it must exist. Default: the working directory of this process. */
  readonly cwd?: string | URL;
  /**
   * Number of the user that the workers run as, 0 to 2^32-1. The user must be allowed to read the module, and only a privileged
   * process may choose another user than its own. Not on Windows. Default: the user of this process.
   */
  readonly uid?: number;
  /** Number of the group that the workers run as, 0 to 2^32-1, with the restrictions of `uid`. Default: the group of this process. */
  readonly gid?: number;
  /** Node that runs the workers: a path, or a name that `PATH` resolves. Default: the Node of this process. */
  readonly execPath?: string;
  /**
   * Node options of the workers. They come after the options of this process, such as `--conditions` and `--import`, without
   * its `--eval`, `--watch` and `--test`; with `--inspect` each worker has a port of its own. Default: none.
   */
  readonly execArgv?: readonly string[];
  /**
   * Ends busy workers by a small shell when this process is killed; idle workers end in any case. No effect without `/bin/sh`.
   * Default `true`.
   */
  readonly killWithParent?: boolean;
  /**
   * Target of the workers' standard output and error. `inherit` writes them to the streams of this process, `ignore` drops them;
   * a function gets `(chunk, { stream, workerId })`, and the worker waits for the promise that it returns. A worker also waits
   * while the standard error of this process is full. Errors always have the end of standard error. Default `inherit`.
   */
  readonly output?: WorkerOutput;
  /** Program of the workers: the URL of a copy of `@ticketing/dispatch-fork/worker`. Needed in a bundle. Default: the file beside this one. */
  readonly workerUrl?: URL;
}

/** Options with their defaults filled in. */
type ResolvedForkOptions = Omit<ForkOptions, 'execArgv' | 'killWithParent' | 'output'> &
  Required<Pick<ForkOptions, 'execArgv' | 'killWithParent' | 'output'>>;

/** Rule for the number of a user or a group; refuses any on Windows. */
const anId: Rule =
  process.platform === 'win32'
    ? { expected: 'absent on Windows', test: () => false }
    : wholeBetween(0, 2 ** 32 - 1);

const forkRules = {
  env: anObject,
  cwd: {
    expected: 'the path or file URL of a folder that exists',
    test: (value) => isFolder(value),
  },
  uid: anId,
  gid: anId,
  execPath: { ...aName, expected: 'the path of a program, or its name' },
  execArgv: { ...texts, fallback: [] },
  killWithParent: { ...aFlag, fallback: true },
  output: outputRule,
  workerUrl: aUrl,
} satisfies Rules;

/**
 * Creates a dispatcher whose workers are child processes that load `module`, whose default export `defineTasks` made.
 * A crash, a leak or an endless loop harms the tasks of one worker alone. The caller must call `close()`, which ends the
 * processes. An idle dispatcher does not keep this process alive.
 *
 * @throws TypeError or RangeError for a module that is no URL, and for options that are unknown or out of range
 * @example
 * const module = new URL('./tasks.js', import.meta.url);
 * const dispatcher = createForkDispatcher<typeof import('./tasks.js')>(module, { max: 2 });
 * const answer = await dispatcher.run('search', { from: 'A', to: 'B' }, { timeoutMs: 1000 });
 */
export function createForkDispatcher<M extends TaskMap>(
  module: URL,
  options?: ForkOptions,
): Dispatcher<M>;
export function createForkDispatcher<S extends TaskSource>(
  module: URL,
  options?: ForkOptions,
): Dispatcher<TasksOf<S>>;
export function createForkDispatcher(module: URL, options: ForkOptions = {}): Dispatcher<TaskMap> {
  const action = 'create dispatcher';
  if (!aUrl.test(module)) throw wrongOption(action, 'module', aUrl, module);
  refuseNesting(action, module, NESTING_CURE);
  const { pool, own } = splitPoolOptions(action, options, forkRules);
  const resolved = resolveByRules<ResolvedForkOptions>(action, own, forkRules);
  const program = workerProgram(action, resolved.workerUrl, WORKER);
  return createDispatcher(createForkTransport(module, program, resolved), pool);
}

const NESTING_CURE =
  'keep the tasks in a separate file, and in a single executable set `execPath` to the path of a Node';

const WORKER: WorkerProgram = {
  specifier: '@ticketing/dispatch-fork/worker',
  file: 'dispatch-fork-worker',
  beside: import.meta.url,
};

/** Creates a transport whose workers are child processes. */
function createForkTransport(module: URL, program: URL, options: ResolvedForkOptions): Transport {
  const { env } = options;
  const guard = options.killWithParent ? createOrphanGuard() : undefined;
  const output = new OutputSink(options.output);
  const { cwd, uid, gid, execPath } = options;
  const isElsewhere = cwd !== undefined;
  const execArgv = [...inheritedExecArgv(process.execArgv, isElsewhere)];
  const inspector = inspectorOption(process.execArgv);
  if (inspector !== undefined) execArgv.push(inspector);
  execArgv.push(...options.execArgv);
  const isInspected = opensInspector(execArgv);
  const settings = {
    ...(cwd !== undefined && { cwd }),
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
    ...(execPath !== undefined && { execPath }),
    execArgv,
    serialization: 'advanced',
  } as const;
  return {
    kind: 'fork',
    capabilities: { isolation: 'process', hardKill: true, transfer: false, streams: true },
    autoWindow: processWindow,
    polls: true,
    spawn,
    close: () => guard?.close() ?? Promise.resolve(),
  };

  function spawn(worker: WorkerStart, events: WorkerEvents): WorkerHandle {
    // Without this check the platform reports a missing program.
    if (cwd !== undefined && !isFolder(cwd)) {
      throw new Error(`Cannot start worker: the folder of \`cwd\` is gone: ${cwd}`);
    }
    const { workerId, slot, workerData } = worker;
    const { href } = worker.module ?? module;
    const args = [String(workerId), String(slot), href];
    if (workerData !== undefined) args.push('data');
    const variables = { ...slotVariable(slot), ...nestingVariable(href) };
    const own = { ...settings, env: { ...environment(), ...variables } };
    const launch = (stdio: StdioOptions) => fork(program, args, { ...own, stdio });
    const start = { launch, guard, workerId, slot, workerData, isInspected, output };
    return startWorker(start, events);
  }

  /** Returns the workers' environment. With a `cwd`, relative paths in an inherited `NODE_OPTIONS` are made absolute. */
  function environment(): Readonly<Record<string, string | undefined>> {
    const own = env ?? process.env;
    const { NODE_OPTIONS } = own;
    if (!isElsewhere || NODE_OPTIONS === undefined) return own;
    if (NODE_OPTIONS !== process.env['NODE_OPTIONS']) return own;
    return { ...own, NODE_OPTIONS: inheritedNodeOptions(NODE_OPTIONS, true) };
  }
}

/** Returns true for the path or file URL of an existing folder. */
function isFolder(value: unknown): boolean {
  const isPath = typeof value === 'string' && value !== '';
  if (!isPath && !(aUrl.test(value) && (value as URL).protocol === 'file:')) return false;
  return statSync(value as string | URL, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
