import { extname } from 'node:path';
import type { ResourceLimits } from 'node:worker_threads';
import type { PoolOptions } from '@ticketing/dispatch';
import { outputRule, splitPoolOptions, type WorkerOutput } from '@ticketing/dispatch/transport';
import { type Rules, resolveByRules } from '@ticketing/kit';

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
export interface ResolvedPiscinaOptions {
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
export function resolvePiscinaOptions(
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
export function isUrl(value: unknown): value is URL {
  return Object.prototype.toString.call(value) === '[object URL]';
}

/** Runs from `src` as TypeScript and from `dist` as JavaScript; both have the worker in the same folder. */
function workerBesideThis(): URL {
  const { pathname } = new URL(import.meta.url);
  return new URL(`./worker${extname(pathname)}`, import.meta.url);
}
