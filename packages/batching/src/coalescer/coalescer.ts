import type { Clock } from '@ticketing/kit';
import type { KeyValue } from '../canonical-key.ts';

/** The second argument of a loader. */
export interface LoadContext<K> {
  readonly key: K;
  /** Aborts when no caller is waiting, at `loadTimeoutMs`, and on `close()`. Created when it is first read. */
  readonly signal: AbortSignal;
  /** Callers that wait now. */
  readonly waiters: number;
}

/** Options of `createCoalescer`. */
export interface CoalescerOptions<K, V> {
  /** Name of the coalescer in errors and diagnostics. Default: the name of the loader, or `coalescer`. */
  readonly name?: string | undefined;
  /** Returns what a key is compared by. Required for keys that are objects. Default: the key itself. */
  readonly key?: ((key: K) => KeyValue) | undefined;
  /** Milliseconds that a load may take, 1 to 2^31-1; then its callers get `ERR_LOAD_TIMEOUT`. Default: no limit. */
  readonly loadTimeoutMs?: number | undefined;
  /** Aborts a load as its last caller leaves (`unused`), or never. A caller without signal or timeout never leaves. Default `unused`. */
  readonly abortWhen?: 'unused' | 'never' | undefined;
  /** Most loads in flight: one per key, and each that `forget`, `clear` or `fresh` detached. Default 10,000. */
  readonly maxKeys?: number | undefined;
  /** Most callers of one key. Default 100,000. */
  readonly maxWaitersPerKey?: number | undefined;
  /** Outcome of a call above a bound: `ERR_TOO_MANY_…`, or a load of its own that no call joins. Default `reject`. */
  readonly overflow?: 'reject' | 'bypass' | undefined;
  /**
   * Value that each caller gets: the shared one (`reference`), the shared one deeply frozen (`freeze`), or the result of a
   * function for each, such as `structuredClone`. Default `reference`.
   */
  readonly share?: 'reference' | 'freeze' | ((value: NoInfer<V>) => NoInfer<V>) | undefined;
  /** The AsyncLocalStorage that the loader sees: that of the coalescer's creation, or that of the first caller. Default `detached`. */
  readonly context?: 'detached' | 'caller' | undefined;
  /**
   * Milliseconds for which a failure answers further calls, and for which a stale value is not renewed again. Default 0; with
   * `staleMs` a second, or `staleMs` if that is less.
   */
  readonly errorTtlMs?: number | undefined;
  /** Milliseconds for which a value answers further calls; Infinity: until it is forgotten. Default 0. */
  readonly ttlMs?: number | ((value: V, key: K) => number) | undefined;
  /** Milliseconds after `ttlMs` for which the old value is returned while one load renews it. Default 0. */
  readonly staleMs?: number | ((value: V, key: K) => number) | undefined;
  /** Share (0 to 1) by which `ttlMs` is shortened at random, so that keys do not expire together. Default 0. */
  readonly jitter?: number | undefined;
  /** Most kept results; the least recently used is dropped first. Default 10,000. */
  readonly maxEntries?: number | undefined;
  /**
   * Most bytes of kept values, by `sizeOf`; the least recently used is dropped first, and a value that is larger is not kept. Default:
   * no limit.
   */
  readonly maxBytes?: number | undefined;
  /** Returns the bytes that a value counts for; a fraction is rounded up. Called once for each value that is kept. Default: 0. */
  readonly sizeOf?: ((value: V, key: K) => number) | undefined;
  /**
   * Returns the tags of a value, by which `forgetTag` forgets it: at most 64 texts of 1 to 256 characters. A load whose tags are
   * wrong fails with `ERR_WRONG_TAGS`. Default: no tags.
   */
  readonly tags?: ((value: V, key: K) => readonly string[]) | undefined;
  /** Default: the platform's. */
  readonly clock?: Clock | undefined;
  /** 0 to 1, for `jitter`. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Options of one call. */
export interface GetOptions {
  /** Ends this call as it aborts, with its reason; the others go on. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that this caller waits, 1 to 2^31-1; then `ERR_CALLER_TIMEOUT`. */
  readonly timeoutMs?: number | undefined;
  /** Starts a load, which later calls join, whatever is kept or in flight. `maxKeys` bounds such loads. */
  readonly fresh?: boolean | undefined;
  /**
   * Joins the load in flight, or starts one, whatever is kept. A kept value goes on answering other calls until the load has a new one,
   * also if the load fails.
   */
  readonly renew?: boolean | undefined;
}

/** The state of a key. */
export type Peek<V> =
  | { readonly kind: 'loading'; readonly waiters: number }
  | { readonly kind: 'value'; readonly value: V; readonly stale: boolean }
  | { readonly kind: 'error'; readonly error: unknown };

/** Counters since the start, and what is held now. */
export interface CoalescerStats {
  readonly name: string;
  /** Calls of `get`. */
  readonly asked: number;
  /** Loads started, renewals and bypasses included. */
  readonly loaded: number;
  /** Calls that started a load which others could join. With `joined`, `hits`, `errorHits`, `overflowed` and the calls that were refused it adds up to `asked`. */
  readonly led: number;
  /** Calls that joined a load in flight. */
  readonly joined: number;
  /** Calls answered by a kept value. */
  readonly hits: number;
  /** Calls among `hits` that were answered by a stale value. */
  readonly staleHits: number;
  /** Calls answered by a kept failure. */
  readonly errorHits: number;
  /** Loads that failed. */
  readonly failed: number;
  /** Callers that left by signal or timeout. */
  readonly left: number;
  /** Loads aborted because no caller was waiting, or at `loadTimeoutMs`. */
  readonly aborted: number;
  /** Calls above a bound. */
  readonly overflowed: number;
  /** Loads in flight. */
  readonly inFlight: number;
  /** Loads in flight that no call joins: of keys that were forgotten or asked for with `fresh`, or above a bound. */
  readonly unshared: number;
  /** Kept results. */
  readonly kept: number;
  /** Bytes of kept values, by `sizeOf`. */
  readonly keptBytes: number;
  /** Different tags of kept results. */
  readonly tags: number;
  /** Entries of the index of tags, one for each tag of each kept result: at most 64 times `maxEntries`. */
  readonly tagEntries: number;
  /** Loads whose result was not kept, because one of its tags was forgotten while it was in flight. */
  readonly outdated: number;
}

/** Options of `forget`. */
export interface ForgetOptions {
  /** Leaves a key alone for which two or more callers wait. Default false. */
  readonly ifUnshared?: boolean | undefined;
}

/** Lets equal calls in flight share one load. */
export interface Coalescer<K, V> extends AsyncDisposable {
  /**
   * Resolves with the value of a key: kept, from the load in flight, or from a new one. Callers without options get
   * the same promise. A key leaves the map before its callers run, so a retry in `catch` loads again.
   *
   * @throws BatchingError, the loader's error, or the signal's reason, as a rejection
   * @throws TypeError as a rejection for an object as key without option `key`
   */
  get(key: K, options?: GetOptions): Promise<V>;
  /**
   * Forgets a key: the next call loads again. Callers that wait still get their answer, which is not kept. Returns
   * whether there was something to forget.
   *
   * @throws TypeError for an unknown option
   */
  forget(key: K, options?: ForgetOptions): boolean;
  /**
   * Forgets every kept result with a tag, and returns their number. A load in flight is not aborted: if its value has the tag, the
   * callers that wait get it, it is not kept, and callers that come after `forgetTag` share one more load.
   *
   * @throws TypeError for a tag that is no text of 1 to 256 characters, and without option `tags`
   */
  forgetTag(tag: string): number;
  /** Forgets every key. */
  clear(): void;
  /**
   * Returns whether `get` of this key would be answered without a new load: a result is kept, fresh or stale, or a load in flight
   * has room for one more caller. A server above its limit can accept such requests, which cost next to nothing, and refuse the
   * rest.
   *
   * @throws TypeError for an object as key without option `key`
   */
  has(key: K): boolean;
  /** Returns the state of a key, and changes nothing. */
  peek(key: K): Peek<V> | undefined;
  stats(): CoalescerStats;
  /**
   * Refuses further calls, aborts the signals of all loads in flight with `ERR_CLOSED`, also of loads that no call
   * joins, and forgets everything. Callers get the outcome of their load. Idempotent.
   */
  close(): Promise<void>;
}
