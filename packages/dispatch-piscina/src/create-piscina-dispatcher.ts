import type { ResourceLimits } from 'node:worker_threads';
import {
  DispatchError,
  type Dispatcher,
  type PoolOptions,
  type TaskMap,
  type TaskSource,
  type TasksOf,
} from '@ticketing/dispatch';
import {
  createDispatcher,
  decodeFromWorker,
  type FromWorker,
  type Movable,
  OutputSink,
  outputRule,
  postToWorker,
  slotVariable,
  splitPoolOptions,
  type Transport,
  type WorkerEvents,
  type WorkerHandle,
  type WorkerOutput,
  type WorkerStart,
} from '@ticketing/dispatch/transport';
import {
  anObject,
  aUrl,
  inspectorUrl,
  nestingVariable,
  type Rules,
  refuseNesting,
  resolveByRules,
  texts,
  type WorkerProgram,
  workerProgram,
  wrongOption,
} from '@ticketing/kit';
import { WorkerThread } from './worker-thread.ts';

/** Options of a dispatcher whose workers are threads. */
export interface PiscinaOptions extends PoolOptions {
  /** Environment of the threads, without `TICKETING_WORKER_SLOT`, which is set to the worker's slot. Default: a copy of the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Node options of the threads, added to the options of this program. If there are any, threads inherit only the program's
   * options that a thread accepts and that affect module resolution, warnings and failures. Default: none.
   */
  readonly execArgv?: readonly string[];
  /** Most megabytes of a thread's heap and stack; a thread that needs more ends. Default: the limits of the platform. */
  readonly resourceLimits?: ResourceLimits;
  /**
   * Target of the threads' standard output and error. `inherit` writes them to the streams of this process, `ignore` drops them;
   * a function gets `(chunk, { stream, workerId })`, and the thread waits for the promise that it returns. Default `inherit`.
   */
  readonly output?: WorkerOutput;
  /** Program of the threads: the file URL of a copy of `@ticketing/dispatch-piscina/worker`. Needed in a bundle. Default: the file beside this one. */
  readonly workerUrl?: URL;
}

/** Most threads of a dispatcher that were ended but may still run native code; from then on no thread is started. */
const MOST_LEFT = 16;

/** Options with their defaults filled in. */
type ResolvedPiscinaOptions = Omit<PiscinaOptions, 'execArgv' | 'output'> &
  Required<Pick<PiscinaOptions, 'execArgv' | 'output'>>;

const piscinaRules = {
  env: anObject,
  execArgv: { ...texts, fallback: [] },
  resourceLimits: anObject,
  output: outputRule,
  workerUrl: {
    expected: 'a file URL',
    test: (value) => aUrl.test(value) && (value as URL).protocol === 'file:',
  },
} satisfies Rules;

/**
 * Creates a dispatcher whose workers are threads of piscina that load `module`, whose default export `defineTasks` made.
 * Buffers can be moved to them and back. An uncaught error, an endless loop, a full heap and `process.exit` harm the tasks
 * of one worker alone; a fault in native code ends the process. The caller must call `close()`, which ends the threads. An idle
 * dispatcher does not keep this process alive.
 *
 * @throws TypeError or RangeError for a module that is no URL, and for options that are unknown or out of range
 * @example
 * const module = new URL('./tasks.js', import.meta.url);
 * const dispatcher = createPiscinaDispatcher<typeof import('./tasks.js')>(module, { max: 2 });
 * const image = await dispatcher.run('shrink', { bytes }, { transfer: [bytes.buffer] });
 */
export function createPiscinaDispatcher<M extends TaskMap>(
  module: URL,
  options?: PiscinaOptions,
): Dispatcher<M>;
export function createPiscinaDispatcher<S extends TaskSource>(
  module: URL,
  options?: PiscinaOptions,
): Dispatcher<TasksOf<S>>;
export function createPiscinaDispatcher(
  module: URL,
  options: PiscinaOptions = {},
): Dispatcher<TaskMap> {
  const action = 'create dispatcher';
  if (!aUrl.test(module)) throw wrongOption(action, 'module', aUrl, module);
  refuseNesting(action, module, 'keep the tasks in a separate file');
  const { pool, own } = splitPoolOptions(action, options, piscinaRules);
  const resolved = resolveByRules<ResolvedPiscinaOptions>(action, own, piscinaRules);
  const program = workerProgram(action, resolved.workerUrl, WORKER);
  return createDispatcher(createPiscinaTransport(module, program, resolved), pool);
}

const WORKER: WorkerProgram = {
  specifier: '@ticketing/dispatch-piscina/worker',
  file: 'dispatch-piscina-worker',
  beside: import.meta.url,
};

/** Creates a transport whose workers are threads of piscina. */
function createPiscinaTransport(
  module: URL,
  program: URL,
  options: ResolvedPiscinaOptions,
): Transport {
  const { env, resourceLimits } = options;
  const output = new OutputSink(options.output);
  const execArgv = threadExecArgv(process.execArgv, options.execArgv);
  let leftThreads = 0;
  return {
    kind: 'piscina',
    capabilities: { isolation: 'thread', hardKill: true, transfer: true, streams: true },
    autoWindow: { first: 8, max: 64 },
    polls: true,
    spawn,
    close: () => Promise.resolve(),
  };

  function spawn(worker: WorkerStart, events: WorkerEvents): WorkerHandle {
    if (leftThreads >= MOST_LEFT) throw tooManyLeft();
    const { href } = worker.module ?? module;
    const { workerId, slot, workerData } = worker;
    const own = { ...(env ?? process.env), ...slotVariable(slot), ...nestingVariable(href) };
    const start = { entry: program, workerId, slot, workerData, module: href, env: own, execArgv };
    const thread = new WorkerThread(
      { ...start, resourceLimits },
      {
        message(message) {
          let frames: readonly FromWorker[] | undefined;
          try {
            frames = decodeFromWorker(message);
          } catch (error) {
            return thread.lose(error);
          }
          if (frames !== undefined) events.frames(frames);
        },
        exit: (end) => events.exit(end),
        left: () => {
          leftThreads += 1;
        },
        returned: () => {
          leftThreads -= 1;
        },
      },
    );
    // Node does `inherit` by itself, and lets the thread wait.
    if (options.output !== 'inherit') thread.divert(output);
    return {
      pid: process.pid,
      threadId: thread.threadId,
      slot,
      // A debugger of this process pauses its threads one by one.
      get isInspected() {
        return inspectorUrl() !== undefined;
      },
      send(frames, inFlight) {
        const post = (message: unknown, transfer: Movable[]) => thread.send(message, transfer);
        return postToWorker(frames, post, { transfers: true }, inFlight);
      },
      started: () => thread.started(),
      reclaim: (seqs) => thread.reclaim(seqs),
      kill: () => thread.kill(),
      hold: (alive) => thread.hold(alive),
    };
  }
}

function tooManyLeft(): DispatchError {
  const message = `Cannot start thread: ${MOST_LEFT} ended threads are still in native code; limit the native calls of the tasks, or run them by dispatch-fork`;
  return new DispatchError('ERR_WORKER_LOST', message, { data: { name: 'piscina' } });
}

// Options that control the resolution of modules, and the display of warnings and failures. A thread refuses options of the whole
// process (`--expose-gc`, `--title`), which apply to it anyway.
const OF_A_THREAD =
  /^(?:-[Cr]|--(?:conditions|import|require|loader|experimental-loader|preserve-symlinks|preserve-symlinks-main|enable-source-maps|disable-warning|no-warnings|no-deprecation|trace-warnings|trace-deprecation|trace-uncaught|throw-deprecation|unhandled-rejections|(?:no-)?experimental-[a-z-]*(?:types|modules?|module|require)))(?:=|$)/;

/**
 * Returns the Node options of a thread: the program's options that a thread accepts, followed by the added ones. Without added
 * ones it is `undefined`, which inherits the options of the program.
 */
export function threadExecArgv(
  execArgv: readonly string[],
  added: readonly string[],
): string[] | undefined {
  if (added.length === 0) return undefined;
  const inherited: string[] = [];
  let keep = false;
  for (const argument of execArgv) {
    // An argument without a dash is the value of the option before it.
    if (argument.startsWith('-')) keep = OF_A_THREAD.test(argument);
    if (keep) inherited.push(argument);
  }
  return [...inherited, ...added];
}
