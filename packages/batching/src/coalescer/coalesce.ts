import { aFunction, wrongOption } from '@ticketing/kit';
import { canonicalKey, isPrimitive, type KeyValue, objectKeyError } from '../canonical-key.ts';
import type { CoalescerOptions, CoalescerStats, Peek } from './coalescer.ts';
import { createCoalescer } from './create-coalescer.ts';

/** Options of `coalesce`: all of a coalescer, with a key made of the arguments. */
export interface CoalesceOptions<Args extends readonly unknown[], V>
  extends Omit<CoalescerOptions<Args, V>, 'key'> {
  /** Calls with the same key are equal. Default: all arguments, which must then be primitives. */
  readonly key?: ((...args: Args) => KeyValue) | undefined;
}

type AnyFunction = (...args: never[]) => unknown;

/**
 * A function whose equal calls in flight share one run. It has the signature of the wrapped one, type parameters and
 * overloads included, if that returns a Promise and has no fields; else it takes the same and returns a Promise.
 */
export type Coalesced<Call extends AnyFunction> = Signature<Call> & {
  /** Forgets the call with these arguments: see `Coalescer.forget`. */
  forget(...args: Parameters<Call>): boolean;
  /** Forgets all kept results with a tag of option `tags`, and returns their number: see `Coalescer.forgetTag`. */
  forgetTag(tag: string): number;
  /** Forgets all calls. */
  clear(): void;
  /** Returns whether a call with these arguments would be answered without a call of the function: see `Coalescer.has`. */
  has(...args: Parameters<Call>): boolean;
  /** Returns the state of the call with these arguments, and changes nothing. */
  peek(...args: Parameters<Call>): Peek<Awaited<ReturnType<Call>>> | undefined;
  stats(): CoalescerStats;
  /** Refuses further calls, and forgets everything: see `Coalescer.close`. Idempotent. */
  close(): Promise<void>;
};

type Signature<Call extends AnyFunction> = [keyof Call, ReturnType<Call>] extends [
  never,
  Promise<unknown>,
]
  ? Call
  : (...args: Parameters<Call>) => Promise<Awaited<ReturnType<Call>>>;

/**
 * Wraps a function: calls with equal arguments share one call in flight.
 *
 * @throws TypeError or RangeError for options that are unknown or out of range; as a rejection, TypeError for
 *   an argument that is an object, without option `key`
 * @example
 * const user = coalesce(fetchUser);
 * await Promise.all([user(7), user(7)]); // one call of fetchUser
 */
export function coalesce<Call extends AnyFunction>(
  call: Call,
  options: CoalesceOptions<Parameters<Call>, Awaited<ReturnType<Call>>> = {},
): Coalesced<Call> {
  type Args = Parameters<Call>;
  type V = Awaited<ReturnType<Call>>;
  if (typeof call !== 'function') {
    throw wrongOption('coalesce', 'call', aFunction, call);
  }
  const { key, ...rest } = Object(options) as CoalesceOptions<Args, V>;
  const name = rest.name ?? (call.name || 'coalescer');
  const coalescer = createCoalescer<Args, V>((args) => call(...args) as V | PromiseLike<V>, {
    ...rest,
    name,
    key: (args) => (key === undefined ? primitivesKey(name, args) : key(...args)),
  });
  const coalesced = (...args: Args): Promise<V> => coalescer.get(args);
  return Object.assign(coalesced as Signature<Call>, {
    forget: (...args: Args) => coalescer.forget(args),
    forgetTag: (tag: string) => coalescer.forgetTag(tag),
    clear: () => coalescer.clear(),
    has: (...args: Args) => coalescer.has(args),
    peek: (...args: Args) => coalescer.peek(args),
    stats: () => coalescer.stats(),
    close: () => coalescer.close(),
  });
}

function primitivesKey(name: string, args: readonly unknown[]): KeyValue {
  if (args.every(isPrimitive)) return canonicalKey(...args);
  throw objectKeyError(`call \`${name}\``, undefined, 'an argument');
}
