import {
  aFunction,
  atLeast,
  between,
  type Clock,
  type Filled,
  MAX_TIMER_MS,
  orFunction,
  type Rule,
  required,
  resolveByRules,
  systemClock,
  wholeBetween,
  withMethods,
} from '@ticketing/kit';
import type { KeyValue } from '../canonical-key.ts';
import type { Coordinator } from './coordinator.ts';
import { type SharedCodec, structuredCodec } from './shared-codec.ts';

/** Options of `shareLoads`. */
export interface ShareLoadsOptions<K, V> {
  readonly coordinator: Coordinator;
  /**
   * Names the values in the engine: 1 to 100 characters without spaces and braces. Two loaders of one name share what they
   * load, so it must hold the tenant, and the revision of what is encoded.
   */
  readonly name: string;
  /** Returns what a key is compared by, as option `key` of the coalescer. Default: the key, which must be plain data. */
  readonly key?: ((key: K) => KeyValue) | undefined;
  /** Default: `structuredCodec`. */
  readonly codec?: SharedCodec<V> | undefined;
  /** Milliseconds after which the load of a dead process is another's, 30 to 2^31-1. Default 2000. */
  readonly leaseMs?: number | undefined;
  /** Longest encoded value; a longer one is not shared, and for a minute each process loads for itself. Default 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** Milliseconds for which a value answers all processes. Default 0: only those that waited for its load. */
  readonly ttlMs?: number | ((value: V, key: K) => number) | undefined;
  /** Milliseconds for which a failure answers all processes. Default 0: only those that waited for its load. */
  readonly errorTtlMs?: number | undefined;
  /** Share (0 to 1) by which `ttlMs` is shortened at random. Default 0. */
  readonly jitter?: number | undefined;
  /**
   * Returns the tags of a value, by which `forgetTag` forgets it for all processes: at most 64 texts of 1 to 256 characters. A
   * load whose tags are wrong fails with `ERR_WRONG_TAGS`. Default: no tags.
   */
  readonly tags?: ((value: V, key: K) => readonly string[]) | undefined;
  /**
   * How early a kept value is renewed in the background: 1 begins about as long before its end as the load took, 2 twice as
   * early, 0 never. Default 1.
   */
  readonly refresh?: number | undefined;
  /** Default: the platform's. */
  readonly clock?: Clock | undefined;
  /** 0 to 1. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Every option filled and checked. */
export type ResolvedShareLoadsOptions<K, V> = Filled<
  Omit<ShareLoadsOptions<K, V>, 'key' | 'codec' | 'tags'>
> & {
  readonly key: ((key: K) => KeyValue) | undefined;
  readonly tags: ((value: V, key: K) => readonly string[]) | undefined;
  readonly codec: Filled<SharedCodec<V>>;
};

const aSharedName: Rule = {
  expected: '1 to 100 characters without spaces and braces',
  test: (value) => typeof value === 'string' && /^[^\s{}]{1,100}$/.test(value),
};

const rules = {
  coordinator: required(
    withMethods('claim', 'forget', 'forgetTag', 'forgottenTags', 'stats', 'close'),
  ),
  name: required(aSharedName),
  key: aFunction,
  codec: { ...withMethods('encode', 'decode'), fallback: structuredCodec },
  leaseMs: wholeBetween(30, MAX_TIMER_MS, 2000),
  maxBytes: wholeBetween(1, Number.MAX_SAFE_INTEGER, 1024 * 1024),
  ttlMs: orFunction(between(0, MAX_TIMER_MS, 0)),
  errorTtlMs: between(0, MAX_TIMER_MS, 0),
  jitter: between(0, 1, 0),
  refresh: atLeast(0, 1),
  tags: { ...aFunction, aliases: ['references'] },
  clock: { ...withMethods('now', 'setTimeout', 'clearTimeout'), fallback: systemClock },
  random: { ...aFunction, fallback: Math.random },
};

/**
 * Fills and checks the options of shared loads.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function resolveShareLoadsOptions<K, V>(
  options: ShareLoadsOptions<K, V>,
): ResolvedShareLoadsOptions<K, V> {
  const resolved = resolveByRules<ResolvedShareLoadsOptions<K, V>>('share loads', options, rules);
  const codec: SharedCodec<V> = resolved.codec;
  return {
    ...resolved,
    // Its methods may be those of a class.
    codec: {
      encode: (value) => codec.encode(value),
      decode: (bytes) => codec.decode(bytes),
      encodeError: (error) =>
        codec.encodeError ? codec.encodeError(error) : structuredCodec.encodeError(error),
      decodeError: (bytes) =>
        codec.decodeError ? codec.decodeError(bytes) : structuredCodec.decodeError(bytes),
    },
  };
}
