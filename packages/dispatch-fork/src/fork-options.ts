import { extname } from 'node:path';
import type { PoolOptions } from '@ticketing/dispatch';
import { outputRule, splitPoolOptions, type WorkerOutput } from '@ticketing/dispatch/transport';
import { aFlag, type Rules, resolveByRules } from '@ticketing/kit';

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
export interface ResolvedForkOptions {
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
export function resolveForkOptions(
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
export function isUrl(value: unknown): value is URL {
  return Object.prototype.toString.call(value) === '[object URL]';
}

/** Runs from `src` as TypeScript and from `dist` as JavaScript; both have the worker in the same folder. */
function workerBesideThis(): URL {
  const { pathname } = new URL(import.meta.url);
  return new URL(`./worker${extname(pathname)}`, import.meta.url);
}
