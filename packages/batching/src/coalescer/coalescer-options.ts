import {
  aFlag,
  aFunction,
  aName,
  aSignal,
  between,
  checkByRules,
  MAX_TIMER_MS,
  oneOf,
  orFunction,
  required,
  resolveByRules,
  systemClock,
  whole,
  withMethods,
} from '@ticketing/kit';
import type { CoalescerOptions, ForgetOptions, GetOptions } from './coalescer.ts';

/** Every option filled and checked. */
export type ResolvedCoalescerOptions<K, V> = Required<
  Omit<CoalescerOptions<K, V>, 'key' | 'loadTimeoutMs'>
> &
  Pick<CoalescerOptions<K, V>, 'key' | 'loadTimeoutMs'>;

const rules = {
  name: required(aName),
  key: aFunction,
  loadTimeoutMs: between(1, MAX_TIMER_MS),
  abortWhen: oneOf('unused', 'never'),
  maxKeys: whole(10_000),
  maxWaitersPerKey: whole(100_000),
  overflow: oneOf('reject', 'bypass'),
  share: orFunction(oneOf('reference', 'freeze', 'clone')),
  context: oneOf('detached', 'caller'),
  errorTtlMs: between(0, Number.MAX_SAFE_INTEGER, 0),
  ttlMs: orFunction(between(0, Number.MAX_SAFE_INTEGER, 0)),
  staleMs: between(0, Number.MAX_SAFE_INTEGER, 0),
  jitter: between(0, 1, 0),
  maxEntries: whole(10_000),
  clock: { ...withMethods('now', 'setTimeout', 'clearTimeout'), fallback: systemClock },
  random: { ...aFunction, fallback: Math.random },
};
const callRules = { signal: aSignal, timeoutMs: between(1, MAX_TIMER_MS), fresh: aFlag };
const forgetRules = { ifUnshared: aFlag };

/**
 * Fills and checks the options of a coalescer.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function resolveCoalescerOptions<K, V>(
  options: CoalescerOptions<K, V>,
): ResolvedCoalescerOptions<K, V> {
  return resolveByRules('create coalescer', options, rules);
}

/** Checks the options of `forget`. @throws TypeError */
export function checkForgetOptions(options: ForgetOptions): void {
  checkByRules('forget', options, forgetRules);
}

/** Checks the options of one call. @throws TypeError or RangeError */
export function checkGetOptions(options: GetOptions): void {
  checkByRules('get', options, callRules);
}
