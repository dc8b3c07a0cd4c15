import { anObject, type Rules, resolveByRules, texts, wholeBetween } from '@ticketing/kit';

const ACTION = 'fork workers';

/** How worker processes are started. */
export interface ForkOptions {
  /** How many, 1 to 1,024. */
  readonly workers: number;
  /** Least and greatest delay before a process that ended is replaced, in milliseconds: default [100, 5000]. */
  readonly backoffMs?: readonly [number, number];
  /** The processes' environment; default this one's. Unless it sets malloc up, glibc is told to keep up to 64 MiB of freed memory. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Options of Node itself; default this process's. */
  readonly execArgv?: readonly string[];
}

export interface ResolvedForkOptions {
  readonly module: URL;
  readonly workers: number;
  readonly backoffMs: readonly [number, number];
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
  readonly execArgv: readonly string[] | undefined;
}

const RULES: Rules = {
  workers: { ...wholeBetween(1, 1024), required: true },
  backoffMs: {
    expected: 'two integers of 1 or more, the second not below the first',
    fallback: [100, 5000],
    test: (value) =>
      Array.isArray(value) &&
      value.length === 2 &&
      value.every((one) => Number.isSafeInteger(one) && one >= 1 && one < 2 ** 31) &&
      value[0] <= value[1],
  },
  env: anObject,
  execArgv: texts,
};

/**
 * Fills and checks what `forkWorkers` takes; a number is the count of workers.
 *
 * @throws TypeError or RangeError
 */
export function resolveForkOptions(
  module: URL,
  options: number | ForkOptions,
): ResolvedForkOptions {
  if (!(module instanceof URL)) {
    throw new TypeError(`Cannot ${ACTION}: module must be a URL, got ${String(module)}`);
  }
  const given = typeof options === 'number' ? { workers: options } : options;
  return { module, ...resolveByRules<Omit<ResolvedForkOptions, 'module'>>(ACTION, given, RULES) };
}
