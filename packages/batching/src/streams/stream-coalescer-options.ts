import {
  aFunction,
  aName,
  aSignal,
  checkByRules,
  type Filled,
  oneOf,
  resolveByRules,
  systemClock,
  whole,
  withMethods,
} from '@ticketing/kit';
import type { FollowOptions, StreamCoalescerOptions } from './stream-coalescer.ts';

/** Every option filled and checked. */
export type ResolvedStreamOptions<K, T> = Filled<Omit<StreamCoalescerOptions<K, T>, 'key'>> &
  Pick<StreamCoalescerOptions<K, T>, 'key'>;

const rules = {
  name: aName,
  key: aFunction,
  maxItems: whole(10_000),
  maxBytes: whole(16 * 1024 * 1024),
  bytesOf: { ...aFunction, fallback: lengthOf },
  maxKeys: whole(10_000),
  maxReadersPerKey: whole(100_000),
  overflow: oneOf('reject', 'bypass'),
  context: oneOf('detached', 'caller'),
  clock: { ...withMethods('now', 'setTimeout', 'clearTimeout'), fallback: systemClock },
};
const followRules = { signal: aSignal };

/**
 * Fills and checks the options of a coalescer of streams. `name`: the one that it has without the option.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function resolveStreamOptions<K, T>(
  options: StreamCoalescerOptions<K, T>,
  name: string,
): ResolvedStreamOptions<K, T> {
  const resolved = resolveByRules<
    Omit<ResolvedStreamOptions<K, T>, 'name'> & Pick<StreamCoalescerOptions<K, T>, 'name'>
  >('create stream coalescer', options, rules);
  return { ...resolved, name: resolved.name ?? name };
}

/** Checks the options of one call. @throws TypeError */
export function checkFollowOptions(options: FollowOptions): void {
  checkByRules('follow', options, followRules);
}

function lengthOf(item: unknown): number {
  if (typeof item === 'string') return item.length;
  return ArrayBuffer.isView(item) || item instanceof ArrayBuffer ? item.byteLength : 0;
}
