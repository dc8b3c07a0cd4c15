import {
  aFlag,
  aFunction,
  aName,
  aSignal,
  atLeast,
  between,
  checkByRules,
  type Filled,
  MAX_TIMER_MS,
  oneOf,
  orFunction,
  resolveByRules,
  systemClock,
  whole,
  withMethods,
} from '@ticketing/kit';
import type { CoalescerOptions, ForgetOptions, GetOptions } from './coalescer.ts';

/** Every option filled and checked. */
export type ResolvedCoalescerOptions<K, V> = Filled<
  Omit<CoalescerOptions<K, V>, 'key' | 'loadTimeoutMs' | 'tags' | 'sizeOf'>
> &
  Pick<CoalescerOptions<K, V>, 'key' | 'loadTimeoutMs' | 'tags' | 'sizeOf'>;

const rules = {
  name: aName,
  key: aFunction,
  loadTimeoutMs: between(1, MAX_TIMER_MS),
  abortWhen: oneOf('unused', 'never'),
  maxKeys: whole(10_000),
  maxWaitersPerKey: whole(100_000),
  overflow: oneOf('reject', 'bypass'),
  share: orFunction(oneOf('reference', 'freeze')),
  context: oneOf('detached', 'caller'),
  errorTtlMs: atLeast(0),
  ttlMs: orFunction(atLeast(0, 0)),
  staleMs: orFunction(atLeast(0, 0)),
  jitter: between(0, 1, 0),
  maxEntries: { ...whole(10_000), aliases: ['max', 'size'] },
  maxBytes: { ...whole(Number.POSITIVE_INFINITY), aliases: ['maxSize'] },
  sizeOf: { ...aFunction, aliases: ['sizeCalculation'] },
  tags: { ...aFunction, aliases: ['references'] },
  clock: { ...withMethods('now', 'setTimeout', 'clearTimeout'), fallback: systemClock },
  random: { ...aFunction, fallback: Math.random },
};
/** Options whose defaults are not constant. */
type Derived = 'name' | 'errorTtlMs';
const callRules = {
  signal: aSignal,
  timeoutMs: between(1, MAX_TIMER_MS),
  fresh: aFlag,
  renew: aFlag,
};
const forgetRules = { ifUnshared: aFlag };

/**
 * Fills and checks the options of a coalescer. `name`: the one that it has without the option.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function resolveCoalescerOptions<K, V>(
  options: CoalescerOptions<K, V>,
  name: string,
): ResolvedCoalescerOptions<K, V> {
  const resolved = resolveByRules<
    Omit<ResolvedCoalescerOptions<K, V>, Derived> & Pick<CoalescerOptions<K, V>, Derived>
  >('create coalescer', options, rules);
  const { maxBytes, sizeOf, staleMs } = resolved;
  if (maxBytes !== Number.POSITIVE_INFINITY && sizeOf === undefined) {
    throw new TypeError('Cannot create coalescer: option `maxBytes` needs `sizeOf`, got none');
  }
  return {
    ...resolved,
    name: resolved.name ?? name,
    // Without it each call would ask a broken upstream again for a stale value.
    errorTtlMs: resolved.errorTtlMs ?? Math.min(typeof staleMs === 'number' ? staleMs : 1000, 1000),
  };
}

/** Checks the options of `forget`. @throws TypeError */
export function checkForgetOptions(options: ForgetOptions): void {
  checkByRules('forget', options, forgetRules);
}

/** Checks the options of one call. @throws TypeError or RangeError */
export function checkGetOptions(options: GetOptions): void {
  checkByRules('get', options, callRules);
}
