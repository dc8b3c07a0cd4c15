import {
  aFlag,
  aFunction,
  aName,
  aSignal,
  between,
  checkByRules,
  type Filled,
  MAX_TIMER_MS,
  oneOf,
  orFunction,
  orInfinity,
  resolveByRules,
  systemClock,
  whole,
  withMethods,
} from '@ticketing/kit';
import { type BatchSchedule, batchScheduleOf } from './batch-schedule.ts';
import type { BatchCache, BatcherOptions, LoadOptions } from './batcher.ts';

/** Every option filled and checked. */
export interface ResolvedBatcherOptions<K, V>
  extends Filled<Omit<BatcherOptions<K, V>, 'key' | 'loadTimeoutMs' | 'schedule' | 'cache'>>,
    Pick<BatcherOptions<K, V>, 'key' | 'loadTimeoutMs'> {
  readonly schedule: BatchSchedule;
  readonly cache: BatchCache<V> | undefined;
  /** True if the cache was made here, and is cleared with the batcher. */
  readonly ownsCache: boolean;
}

const aCache = withMethods('get', 'set', 'delete', 'clear');
const rules = {
  name: aName,
  key: aFunction,
  distinct: { ...aFlag, fallback: false },
  maxBatchSize: orInfinity(whole(1000)),
  maxWaitMs: between(0, MAX_TIMER_MS, 0),
  schedule: { ...orFunction(oneOf('tick', 'microtask')), fallback: undefined },
  concurrency: orInfinity(whole(Number.POSITIVE_INFINITY)),
  maxQueued: orInfinity(whole(100_000)),
  loadTimeoutMs: between(1, MAX_TIMER_MS),
  missing: oneOf('error', 'undefined'),
  cache: {
    ...aCache,
    fallback: false,
    test: (value: unknown) => typeof value === 'boolean' || aCache.test(value),
  },
  clock: { ...withMethods('now', 'setTimeout', 'clearTimeout'), fallback: systemClock },
};
const callRules = { signal: aSignal };

/**
 * Fills and checks the options of a batcher. `name`: the one that it has without the option.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for a number out of range
 */
export function resolveBatcherOptions<K, V>(
  options: BatcherOptions<K, V>,
  name: string,
): ResolvedBatcherOptions<K, V> {
  const resolved = resolveByRules<
    Omit<ResolvedBatcherOptions<K, V>, 'ownsCache' | 'name' | 'cache' | 'schedule'> &
      Pick<BatcherOptions<K, V>, 'name' | 'cache' | 'schedule'>
  >('create batcher', options, rules);
  const { schedule, maxWaitMs, cache } = resolved;
  if (schedule !== undefined && maxWaitMs > 0) {
    throw new TypeError(
      'Cannot create batcher: only one of `maxWaitMs` and `schedule` may be set, got both',
    );
  }
  return {
    ...resolved,
    name: resolved.name ?? name,
    schedule: batchScheduleOf(schedule ?? 'tick'),
    cache: typeof cache === 'boolean' ? (cache ? new Map() : undefined) : cache,
    ownsCache: cache === true,
  };
}

/** Checks the options of one call. @throws TypeError */
export function checkLoadOptions(options: LoadOptions): void {
  checkByRules('load', options, callRules);
}
