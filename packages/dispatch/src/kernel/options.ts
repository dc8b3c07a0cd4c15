import {
  aFlag,
  aFunction,
  aName,
  anObject,
  aShare,
  atLeast,
  between,
  checkByRules,
  MAX_TIMER_MS,
  namesNear,
  optionsOf,
  type Restart,
  type Rules,
  resolveByRules,
  restartRules,
  systemClock,
  unknownOption,
  usableCores,
  whole,
  wholeBetween,
  withMethods,
  wordOr,
  wrongOption,
} from '@ticketing/kit';
import type { PoolOptions } from '../contract/pool-options.ts';

type Recycle = Required<NonNullable<PoolOptions['recycle']>>;

/** {@link PoolOptions}, filled and checked. A limit of Infinity never applies. */
export interface ResolvedPoolOptions extends Required<PoolOptions> {
  readonly recycle: Recycle;
  readonly restart: Restart;
}

/** Most workers of one pool. */
export const MAX_WORKERS = 1024;
const NEVER = Number.POSITIVE_INFINITY;

const recycleRules = {
  tasks: { ...whole(), fallback: NEVER },
  ageMs: atLeast(1, NEVER),
  rssBytes: atLeast(1, NEVER),
  heapBytes: atLeast(1, NEVER),
  utilisation: { ...aShare, fallback: NEVER },
  jitter: between(0, 1, 0.1),
} satisfies Rules;

const poolRules = {
  name: aName,
  min: wholeBetween(0, MAX_WORKERS),
  max: {
    ...wholeBetween(1, MAX_WORKERS),
    aliases: ['workers', 'maxWorkers', 'maxThreads', 'size'],
  },
  window: wordOr('auto', wholeBetween(1, 65_536)),
  maxQueue: wholeBetween(0, MAX_TIMER_MS, 10_000),
  maxWaitMs: atLeast(0, NEVER),
  abortGraceMs: between(0, MAX_TIMER_MS, 1000),
  stopGraceMs: between(0, MAX_TIMER_MS),
  startTimeoutMs: between(1, MAX_TIMER_MS, 30_000),
  healthMs: between(1, MAX_TIMER_MS, 5000),
  idleTimeoutMs: atLeast(1, 30_000),
  recycle: optionsOf(recycleRules),
  restart: optionsOf(restartRules),
  busyPoll: { ...aFlag, fallback: true },
  workerData: { expected: 'a value', test: () => true },
  clock: { ...withMethods('now', 'setTimeout', 'clearTimeout'), fallback: systemClock },
  random: { ...aFunction, fallback: Math.random },
} satisfies Rules & Record<keyof PoolOptions, unknown>;

/** Options whose defaults depend on other options. */
type Dependent = 'name' | 'min' | 'max' | 'stopGraceMs';

/**
 * Fills and checks the options of a pool; the name defaults to the kind.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function resolvePoolOptions(
  action: string,
  kind: string,
  options: PoolOptions,
): ResolvedPoolOptions {
  const resolved = resolveByRules<
    Omit<ResolvedPoolOptions, Dependent> & Pick<PoolOptions, Dependent>
  >(action, options, poolRules);
  const max = resolved.max ?? Math.min(MAX_WORKERS, usableCores());
  const min = resolved.min ?? max;
  if (min > max) {
    throw wrongOption(action, 'min', { expected: `0 to max (${max})`, range: true }, min);
  }
  return {
    ...resolved,
    // Also null, which would count as absent.
    workerData: options.workerData,
    name: resolved.name ?? kind,
    min,
    max,
    stopGraceMs: resolved.stopGraceMs ?? resolved.abortGraceMs,
    recycle: resolveByRules<Recycle>(action, resolved.recycle, recycleRules, 'recycle'),
    restart: resolveByRules<Restart>(action, resolved.restart, restartRules, 'restart'),
  };
}

/**
 * Separates the options of the pool from the options of a transport, which has `rules` for them: the caller checks `own` by these.
 *
 * @throws TypeError for options that are no object, and for an unknown one
 */
export function splitPoolOptions<O extends PoolOptions>(
  action: string,
  options: O,
  rules: Rules,
): { readonly pool: PoolOptions; readonly own: Omit<O, keyof PoolOptions> } {
  if (!anObject.test(options)) checkByRules(action, options, {});
  const known: Rules = { ...rules, ...poolRules };
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) throw unknownOption(action, unknown, namesNear(unknown, known));
  const pick = (isPools: boolean): unknown =>
    Object.fromEntries(
      Object.entries(options).filter(([name]) => Object.hasOwn(poolRules, name) === isPools),
    );
  return { pool: pick(true) as PoolOptions, own: pick(false) as Omit<O, keyof PoolOptions> };
}
