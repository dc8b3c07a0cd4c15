import { showValue } from '@ticketing/kit';
import { canonicalKey, isPrimitive, type KeyValue } from '../canonical-key.ts';
import type { CoalescerOptions, CoalescerStats } from './coalescer.ts';
import { createCoalescer } from './create-coalescer.ts';

/** Options of `coalesce`: those of a coalescer, with a key made of the arguments. */
export interface CoalesceOptions<Args extends readonly unknown[], V>
  extends Omit<CoalescerOptions<Args, V>, 'key'> {
  /** Calls with the same key are equal. Default: all arguments, which must then be primitives. */
  readonly key?: (...args: Args) => KeyValue;
}

/** A function whose equal calls in flight share one run. */
export interface Coalesced<Args extends readonly unknown[], V> {
  (...args: Args): Promise<V>;
  forget(...args: Args): boolean;
  /** Whether a call with these arguments would be answered without a call of the function: see `Coalescer.has`. */
  has(...args: Args): boolean;
  stats(): CoalescerStats;
}

/**
 * Wraps a function: calls with equal arguments share one call in flight.
 *
 * @throws TypeError or RangeError for options that are unknown or out of range; as a rejection, TypeError for
 *   an argument that is an object, without option `key`
 * @example
 * const user = coalesce(fetchUser, { name: 'user' });
 * await Promise.all([user(7), user(7)]); // one call of fetchUser
 */
export function coalesce<Args extends readonly unknown[], V>(
  call: (...args: Args) => V | PromiseLike<V>,
  options: CoalesceOptions<Args, V>,
): Coalesced<Args, V> {
  if (typeof call !== 'function') {
    throw new TypeError(`Cannot coalesce: \`call\` must be a function, got ${showValue(call)}`);
  }
  const { key = primitivesKey, ...rest } = Object(options) as CoalesceOptions<Args, V>;
  const coalescer = createCoalescer<Args, V>((args) => call(...args), {
    ...rest,
    key: (args) => key(...args),
  });
  return Object.assign((...args: Args) => coalescer.get(args), {
    forget: (...args: Args) => coalescer.forget(args),
    has: (...args: Args) => coalescer.has(args),
    stats: () => coalescer.stats(),
  });
}

function primitivesKey(...args: readonly unknown[]): KeyValue {
  if (args.every(isPrimitive)) return canonicalKey(...args);
  throw new TypeError(
    'Cannot coalesce: `arguments` must be primitives without option `key`, got an object',
  );
}
