import os from 'node:os';
import {
  aFunction,
  aName,
  anObject,
  atLeast,
  between,
  type Clock,
  checkByRules,
  MAX_TIMER_MS,
  type Rules,
  resolveByRules,
  systemClock,
  whole,
  wholeBetween,
  withMethods,
  wordOr,
  wrongOption,
} from '@ticketing/kit';
import type { PoolOptions } from '../contract/pool-options.ts';

/** {@link PoolOptions}, filled and checked. */
export interface ResolvedPoolOptions {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly window: 'auto' | number;
  readonly maxQueue: number;
  /** Infinity: no limit. */
  readonly maxWaitMs: number;
  readonly abortGraceMs: number;
  readonly stopGraceMs: number;
  readonly startTimeoutMs: number;
  readonly healthMs: number;
  /** Infinity: never. */
  readonly idleTimeoutMs: number;
  /** Infinity: never for this reason. */
  readonly recycle: {
    readonly tasks: number;
    readonly ageMs: number;
    readonly rssBytes: number;
    readonly jitter: number;
  };
  readonly restart: {
    readonly minBackoffMs: number;
    readonly maxBackoffMs: number;
    readonly intensity: number;
    readonly periodMs: number;
  };
  readonly clock: Clock;
  readonly random: () => number;
}

/** Of one pool. */
export const MAX_WORKERS = 1024;
const NEVER = Number.POSITIVE_INFINITY;

const poolRules = {
  name: aName,
  min: wholeBetween(1, MAX_WORKERS),
  max: wholeBetween(1, MAX_WORKERS),
  window: wordOr('auto', wholeBetween(1, 65_536)),
  maxQueue: wholeBetween(0, MAX_TIMER_MS, 10_000),
  maxWaitMs: atLeast(0, NEVER),
  abortGraceMs: between(0, MAX_TIMER_MS, 1000),
  stopGraceMs: between(0, MAX_TIMER_MS),
  startTimeoutMs: between(1, MAX_TIMER_MS, 30_000),
  healthMs: between(1, MAX_TIMER_MS, 5000),
  idleTimeoutMs: atLeast(1, 30_000),
  recycle: { ...anObject, fallback: {} },
  restart: { ...anObject, fallback: {} },
  clock: { ...withMethods('now', 'setTimeout', 'clearTimeout'), fallback: systemClock },
  random: { ...aFunction, fallback: Math.random },
} satisfies Rules & Record<keyof PoolOptions, unknown>;

const recycleRules = {
  tasks: { ...whole(), fallback: NEVER },
  ageMs: atLeast(1, NEVER),
  rssBytes: atLeast(1, NEVER),
  jitter: between(0, 1, 0.1),
} satisfies Rules;

const restartRules = {
  backoffMs: {
    expected: `[min, max] of 1 to ${MAX_TIMER_MS}, min not above max`,
    range: true,
    fallback: [100, 5000],
    test: isBackoff,
  },
  intensity: wholeBetween(0, 10_000, 5),
  periodMs: between(1, MAX_TIMER_MS, 10_000),
} satisfies Rules;

type Given = Required<Pick<PoolOptions, 'recycle' | 'restart'>> &
  Omit<ResolvedPoolOptions, 'name' | 'min' | 'max' | 'stopGraceMs' | 'recycle' | 'restart'> &
  Pick<PoolOptions, 'name' | 'min' | 'max' | 'stopGraceMs'>;
type GivenRestart = Required<NonNullable<PoolOptions['restart']>>;

/**
 * Fills and checks the options of a pool; the name is the kind unless given.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function resolvePoolOptions(
  action: string,
  kind: string,
  options: PoolOptions,
): ResolvedPoolOptions {
  const { name = kind, ...given } = resolveByRules<Given>(action, options, poolRules);
  const max = given.max ?? Math.min(MAX_WORKERS, os.availableParallelism());
  const min = given.min ?? max;
  if (min > max) {
    throw wrongOption(action, 'min', { expected: `1 to max (${max})`, range: true }, min);
  }
  const recycle = resolveByRules<ResolvedPoolOptions['recycle']>(
    action,
    given.recycle,
    recycleRules,
    'recycle',
  );
  const { backoffMs, ...restart } = resolveByRules<GivenRestart>(
    action,
    given.restart,
    restartRules,
    'restart',
  );
  const [minBackoffMs, maxBackoffMs] = backoffMs;
  return {
    ...given,
    name,
    min,
    max,
    stopGraceMs: given.stopGraceMs ?? given.abortGraceMs,
    recycle,
    restart: { minBackoffMs, maxBackoffMs, ...restart },
  };
}

/**
 * Parts what a pool knows from what a transport adds. `own` has every other option, also unknown ones:
 * checked against the transport's rules it gives the one error for them.
 *
 * @throws TypeError for options that are no object
 */
export function splitPoolOptions<O extends PoolOptions>(
  action: string,
  options: O,
): { readonly pool: PoolOptions; readonly own: Omit<O, keyof PoolOptions> } {
  if (!anObject.test(options)) checkByRules(action, options, {});
  const entries = Object.entries(options);
  const isPools = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(poolRules, name);
  return {
    pool: Object.fromEntries(entries.filter(isPools)),
    own: Object.fromEntries(entries.filter((entry) => !isPools(entry))) as Omit<
      O,
      keyof PoolOptions
    >,
  };
}

function isBackoff(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [min, max] = value;
  const { test } = between(1, MAX_TIMER_MS);
  return test(min) && test(max) && min <= max;
}
