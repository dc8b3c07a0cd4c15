import { extname } from 'node:path';
import type { ResourceLimits } from 'node:worker_threads';
import type { Dispatcher, PoolOptions, TaskMap } from '@ticketing/dispatch';
import {
  createDispatcher,
  decodeFromWorker,
  OutputSink,
  outputRule,
  postToWorker,
  splitPoolOptions,
  type Transport,
  type WorkerEvents,
  type WorkerHandle,
  type WorkerOutput,
  type WorkerStart,
} from '@ticketing/dispatch/transport';
import { type Rules, resolveByRules, wrongOption } from '@ticketing/kit';
import { WorkerThread } from './worker-thread.ts';

/**
 * Creates a dispatcher whose workers are threads of piscina that load `module`, whose default export `defineTasks` made.
 * Buffers can be moved to them and back. What a task throws, a loop without end, a full heap and `process.exit` harm that
 * worker's tasks alone; what ends the process, as a fault in native code, ends all. Close it: it holds threads. While it
 * has nothing to do it does not keep this process alive.
 *
 * @throws TypeError or RangeError for a module that is no URL, and for options that are unknown or out of range
 * @example
 * const dispatcher = createPiscinaDispatcher<Tasks>(new URL('./tasks.js', import.meta.url), { max: 2 });
 * const image = await dispatcher.run('shrink', { bytes }, { transfer: [bytes.buffer] });
 */
export function createPiscinaDispatcher<M extends TaskMap>(
  module: URL,
  options: PiscinaOptions = {},
): Dispatcher<M> {
  const action = 'create dispatcher';
  if (!isUrl(module)) throw wrongOption(action, 'module', { expected: 'a URL' }, module);
  const { pool, piscina } = resolvePiscinaOptions(action, options);
  return createDispatcher<M>(createPiscinaTransport(module, piscina), pool);
}

/** Makes workers that are threads of piscina, and load the tasks of a module. */
function createPiscinaTransport(module: URL, options: ResolvedPiscinaOptions): Transport {
  const { env, resourceLimits, workerUrl: entry } = options;
  const output = new OutputSink(options.output);
  const execArgv = threadExecArgv(process.execArgv, options.execArgv);
  return {
    kind: 'piscina',
    capabilities: { isolation: 'thread', hardKill: true, transfer: true },
    autoWindow: { first: 8, max: 64 },
    spawn: (worker, events) => spawn(worker, events),
    close: () => Promise.resolve(),
  };

  function spawn(worker: WorkerStart, events: WorkerEvents): WorkerHandle {
    const { href } = worker.module ?? module;
    const { workerId } = worker;
    const start = { entry, workerId, module: href, env, execArgv, resourceLimits };
    const thread = new WorkerThread(start, {
      message(message) {
        const frames = decodeFromWorker(message);
        if (frames !== undefined) events.frames(frames);
      },
      exit: (end) => events.exit(end),
    });
    // What Node does by itself is `inherit`, and has its thread wait.
    if (options.output !== 'inherit') thread.divert(output);
    return {
      pid: process.pid,
      send(frames) {
        const post = (message: unknown, transfer: ArrayBuffer[]) => thread.send(message, transfer);
        return postToWorker(frames, post, { transfers: true });
      },
      started: () => thread.started(),
      reclaim: (seqs) => thread.reclaim(seqs),
      kill: () => thread.kill(),
      hold: (alive) => thread.hold(alive),
    };
  }
}

// Those that say how modules are found and read, and how warnings and failures are shown. A thread refuses those that
// are of the whole process (`--expose-gc`, `--title`), which hold in it anyway.
const OF_A_THREAD =
  /^(?:-[Cr]|--(?:conditions|import|require|loader|experimental-loader|preserve-symlinks|preserve-symlinks-main|enable-source-maps|disable-warning|no-warnings|no-deprecation|trace-warnings|trace-deprecation|trace-uncaught|throw-deprecation|unhandled-rejections|(?:no-)?experimental-[a-z-]*(?:types|modules?|module|require)))(?:=|$)/;

/**
 * Gives the Node options of a thread: `undefined`, by which it has those of this program, unless some are added.
 * Then those of this program that a thread takes, and after them the added ones.
 */
export function threadExecArgv(
  execArgv: readonly string[],
  added: readonly string[],
): string[] | undefined {
  if (added.length === 0) return undefined;
  const inherited: string[] = [];
  let keep = false;
  for (const argument of execArgv) {
    // What does not begin with a dash is the value of the option before.
    if (argument.startsWith('-')) keep = OF_A_THREAD.test(argument);
    if (keep) inherited.push(argument);
  }
  return [...inherited, ...added];
}

/** How a dispatcher keeps its threads. */
export interface PiscinaOptions extends PoolOptions {
  /** Environment of the threads. Default: a copy of that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Node options of the threads, besides those that this program was started with. With any, of the latter only those
   * hold that a thread takes and that say how modules are found and read, and what becomes of warnings. Default: none.
   */
  readonly execArgv?: readonly string[];
  /** Megabytes that the heap and the stack of a thread take at most; above it the thread ends. Default: the platform's. */
  readonly resourceLimits?: ResourceLimits;
  /**
   * What becomes of what the threads write to standard output and error: `inherit` (default) writes it to those of this
   * process, `ignore` drops it; a function gets `(chunk, { stream, workerId })`, and a promise that it returns has that
   * thread wait.
   */
  readonly output?: WorkerOutput;
  /** Program of the threads, for bundles: the file URL of a copy of `@ticketing/dispatch-piscina/worker`. Default: beside this one. */
  readonly workerUrl?: URL;
}

/** {@link PiscinaOptions} without those of the pool, filled and checked. */
interface ResolvedPiscinaOptions {
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
  readonly execArgv: readonly string[];
  readonly resourceLimits: ResourceLimits | undefined;
  readonly output: WorkerOutput;
  readonly workerUrl: URL;
}

const anObject = {
  expected: 'an object',
  test: (value: unknown) => typeof value === 'object' && value !== null,
};

const piscinaRules = {
  env: anObject,
  execArgv: {
    expected: 'an array of texts',
    fallback: [],
    test: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  },
  resourceLimits: anObject,
  output: outputRule,
  workerUrl: {
    expected: 'a file URL',
    test: (value) => isUrl(value) && value.protocol === 'file:',
  },
} satisfies Rules;

/**
 * Parts the pool's options, which the kernel checks, from those of its threads.
 *
 * @throws TypeError for a value of the wrong type or an unknown option
 */
function resolvePiscinaOptions(
  action: string,
  options: PiscinaOptions,
): { readonly pool: PoolOptions; readonly piscina: ResolvedPiscinaOptions } {
  const { pool, own } = splitPoolOptions(action, options);
  const given = resolveByRules<Omit<ResolvedPiscinaOptions, 'workerUrl'> & PiscinaOptions>(
    action,
    own,
    piscinaRules,
  );
  return { pool, piscina: { ...given, workerUrl: given.workerUrl ?? workerBesideThis() } };
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
