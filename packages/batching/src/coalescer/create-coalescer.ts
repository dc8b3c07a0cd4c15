import { aFunction, createSignalListeners, wrongOption } from '@ticketing/kit';
import type { LoadTrace } from '../batching-messages.ts';
import { isPrimitive, type KeyValue, objectKeyError } from '../canonical-key.ts';
import { callError } from '../errors.ts';
import { checkTag } from '../read-tags.ts';
import { hitChannel, joinChannel, overflowChannel } from '../traces.ts';
import { settleCalls, WaitingCall } from '../waiting-call.ts';
import type {
  Coalescer,
  CoalescerOptions,
  CoalescerStats,
  ForgetOptions,
  GetOptions,
  Peek,
} from './coalescer.ts';
import {
  checkForgetOptions,
  checkGetOptions,
  type ResolvedCoalescerOptions,
  resolveCoalescerOptions,
} from './coalescer-options.ts';
import { createKeptResults, type KeptResults } from './kept-results.ts';
import { Load, type Loader, LoadRunner } from './load-runner.ts';

/**
 * Creates a coalescer: equal keys in flight share one call of `load`, which starts at once, inside the
 * call of `get`. Holds what is in flight and, if asked, results; close it, or drop it when idle.
 * Diagnostics channels: `ticketing:batching:load`, `{ name, key, ms, error? }` as each load settles; the tracing
 * channel of the same name, inside whose bound stores the loader runs; `ticketing:batching:join`, `…:hit`, `…:overflow`.
 *
 * @throws TypeError or RangeError for a loader that is no function, and for options that are unknown or out of range
 * @example
 * const users = createCoalescer((id: number, { signal }) => fetchUser(id, signal), { name: 'users' });
 * const [one, same] = await Promise.all([users.get(7), users.get(7)]); // one load
 */
export function createCoalescer<K, V>(
  load: Loader<K, V>,
  options: CoalescerOptions<K, V> = {},
): Coalescer<K, V> {
  return createJoinableCoalescer(load, options);
}

/** A coalescer whose callers may also leave by themselves, which costs less than a signal. */
export interface JoinableCoalescer<K, V> extends Coalescer<K, V> {
  /** Joins the load of a key, or starts it; no kept result is used. @throws what `get` rejects with */
  join(key: K): WaitingCall<V>;
}

/** Creates a coalescer, as {@link createCoalescer} does. */
export function createJoinableCoalescer<K, V>(
  load: Loader<K, V>,
  options: CoalescerOptions<K, V>,
): JoinableCoalescer<K, V> {
  if (typeof load !== 'function') {
    throw wrongOption('create coalescer', 'load', aFunction, load);
  }
  return new KeyedCoalescer(load, resolveCoalescerOptions(options, load.name || 'coalescer'));
}

/** The one implementation; a class, because a method of a prototype is joined faster than a closure. */
class KeyedCoalescer<K, V> implements JoinableCoalescer<K, V> {
  readonly #options: ResolvedCoalescerOptions<K, V>;
  readonly #runner: LoadRunner<K, V>;
  /** Loads in flight that calls join. */
  readonly #loads = new Map<KeyValue, Load<K, V>>();
  /** Loads in flight whose key was forgotten or asked for with `fresh`. No call joins them. */
  readonly #detached = new Set<Load<K, V>>();
  /** Loads in flight that were started above a bound. */
  readonly #bypassing = new Set<Load<K, V>>();
  readonly #signals = createSignalListeners();
  readonly #kept: KeptResults<K, V> | undefined;
  readonly #keyOf: ((key: K) => KeyValue) | undefined;
  readonly #copy: ((value: V) => V) | undefined;
  readonly #maxWaiters: number;
  /** No option `key`, no kept results, no copies: the fast path of `get`. */
  readonly #plain: boolean;
  /** Counters that are not on the path of every call. */
  readonly #counts = {
    loaded: 0,
    led: 0,
    hits: 0,
    staleHits: 0,
    errorHits: 0,
    failed: 0,
    left: 0,
    aborted: 0,
    overflowed: 0,
  };
  #asked = 0;
  #joined = 0;
  #closed = false;

  constructor(load: Loader<K, V>, options: ResolvedCoalescerOptions<K, V>) {
    const { share } = options;
    this.#options = options;
    this.#runner = new LoadRunner(load, options, () => {
      this.#counts.aborted += 1;
    });
    this.#keyOf = options.key;
    this.#maxWaiters = options.maxWaitersPerKey;
    this.#kept = createKeptResults(options);
    if (typeof share === 'function') this.#copy = share;
    this.#plain = !this.#keyOf && !this.#kept && !this.#copy;
  }

  get(key: K, options?: GetOptions): Promise<V> {
    this.#asked += 1;
    try {
      if (options !== undefined) return this.#getApart(key, this.#idOf(key), options);
      if (this.#plain) {
        // The map has no objects, so a key that is found needs no check.
        const load = this.#loads.get(key as KeyValue);
        if (load?.promise !== undefined && load.waiters < this.#maxWaiters) {
          load.waiters += 1;
          this.#joined += 1;
          if (load.trace !== undefined) this.#publishJoin(load, load.trace);
          return load.promise;
        }
      }
      const id = this.#idOf(key);
      const kept = this.#kept === undefined ? undefined : this.#useKept(key, id);
      if (kept === undefined && this.#kept?.tagged !== undefined) return this.#getTagged(key, id);
      return this.#share(kept ?? this.#loadOf(key, id).outcome);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  join(key: K): WaitingCall<V> {
    this.#asked += 1;
    return this.#wait(this.#loadOf(key, this.#idOf(key)));
  }

  forget(key: K, options?: ForgetOptions): boolean {
    const id = this.#idOf(key);
    if (options !== undefined) {
      checkForgetOptions(options);
      if (options.ifUnshared && (this.#loads.get(id)?.waiters ?? 0) > 1) return false;
    }
    const kept = this.#kept?.delete(id) ?? false;
    return this.#detach(id) || kept;
  }

  forgetTag(tag: string): number {
    const { name } = this.#options;
    checkTag(name, tag);
    const tagged = this.#kept?.tagged;
    if (tagged === undefined) {
      throw new TypeError(`Cannot forget a tag of \`${name}\`: it has no option \`tags\``);
    }
    if (this.#inFlight() > 0) tagged.loads.forget(tag);
    return this.#kept?.deleteTagged(tag) ?? 0;
  }

  clear(): void {
    for (const id of this.#loads.keys()) this.#detach(id);
    this.#kept?.clear();
  }

  has(key: K): boolean {
    const id = this.#idOf(key);
    if (this.#kept?.peek(id) !== undefined) return true;
    return this.#joinable(id) !== undefined && this.#behind(id) === undefined;
  }

  peek(key: K): Peek<V> | undefined {
    const id = this.#idOf(key);
    const kept = this.#kept?.peek(id);
    if (kept?.outcome.kind === 'error') return kept.outcome;
    if (kept) return { ...kept.outcome, stale: !this.#kept?.isFresh(kept) };
    const load = this.#loads.get(id);
    return load && { kind: 'loading', waiters: load.waiters };
  }

  stats(): CoalescerStats {
    return {
      name: this.#options.name,
      asked: this.#asked,
      joined: this.#joined,
      ...this.#counts,
      inFlight: this.#inFlight(),
      unshared: this.#detached.size + this.#bypassing.size,
      kept: this.#kept?.size ?? 0,
      keptBytes: this.#kept?.bytes ?? 0,
      tags: this.#kept?.tagged?.index.tags ?? 0,
      tagEntries: this.#kept?.tagged?.index.entries ?? 0,
      outdated: this.#kept?.outdated ?? 0,
    };
  }

  close(): Promise<void> {
    if (!this.#closed) this.#runner.close();
    this.#closed = true;
    this.clear();
    const loads = [...this.#detached, ...this.#bypassing];
    this.#detached.clear();
    this.#bypassing.clear();
    for (const load of loads) this.#runner.abort(load, this.#closedError());
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #idOf(key: K): KeyValue {
    const id: unknown = this.#keyOf === undefined ? key : this.#keyOf(key);
    if (!isPrimitive(id)) throw objectKeyError(`get from \`${this.#options.name}\``, this.#keyOf);
    return id;
  }

  #inFlight(): number {
    return this.#loads.size + this.#detached.size + this.#bypassing.size;
  }

  /** Returns the load in flight of a key, if one more caller may join it. */
  #joinable(id: KeyValue): Load<K, V> | undefined {
    const load = this.#loads.get(id);
    return load?.promise !== undefined && load.waiters < this.#maxWaiters ? load : undefined;
  }

  /** Returns the load in flight of a key, if a tag was forgotten since it began. */
  #behind(id: KeyValue): Load<K, V> | undefined {
    if (this.#kept?.tagged === undefined) return undefined;
    const load = this.#joinable(id);
    return load !== undefined && this.#kept.tagged.loads.isBehind(load) ? load : undefined;
  }

  /** A call without options, if results have tags and none is kept. */
  #getTagged(key: K, id: KeyValue): Promise<V> {
    const behind = this.#behind(id);
    if (behind === undefined) return this.#share(this.#loadOf(key, id).outcome);
    behind.waiters += 1;
    const again = (): Promise<V> => {
      const kept = this.#useKept(key, id);
      return kept === undefined ? this.#getTagged(key, id) : this.#share(kept);
    };
    return this.#unlessOutdated(behind, this.#share(behind.outcome), again);
  }

  /** Answers a call that came after a tag was forgotten: by the load from before only if its value lacks the tag. */
  #unlessOutdated(load: Load<K, V>, answer: Promise<V>, again: () => Promise<V>): Promise<V> {
    if (load.trace !== undefined) this.#publishJoin(load, load.trace);
    return answer.then(
      (value) => {
        if (this.#kept?.tagged?.loads.isOutdated(load)) return again();
        this.#joined += 1;
        return value;
      },
      (error) => {
        this.#joined += 1;
        throw error;
      },
    );
  }

  /** A call with options: it may leave, or refuse a kept result. */
  #getApart(key: K, id: KeyValue, options: GetOptions): Promise<V> {
    checkGetOptions(options);
    const { signal, timeoutMs, fresh, renew } = options;
    if (signal?.aborted) {
      this.#counts.left += 1;
      throw signal.reason;
    }
    if (fresh) this.#kept?.delete(id);
    const kept = renew ? undefined : this.#useKept(key, id);
    if (kept !== undefined) return this.#share(kept);
    const behind = fresh ? undefined : this.#behind(id);
    if (behind !== undefined) {
      behind.waiters += 1;
      const { clock } = this.#options;
      const until = clock.now() + (timeoutMs ?? 0);
      const again = (): Promise<V> => {
        const left = timeoutMs && { timeoutMs: Math.max(1, until - clock.now()) };
        return this.#getApart(key, id, { ...options, ...left });
      };
      return this.#unlessOutdated(behind, this.#enter(behind, options), again);
    }
    return this.#enter(fresh ? this.#open(key, id) : this.#loadOf(key, id), options);
  }

  /** Returns a call's own answer of a load that counts it already. */
  #enter(load: Load<K, V>, { signal, timeoutMs }: GetOptions): Promise<V> {
    if (signal === undefined && timeoutMs === undefined) return this.#share(load.outcome);
    const { key } = load;
    const call = this.#wait(load);
    if (signal !== undefined) call.leaveBy(signal, this.#signals);
    if (timeoutMs !== undefined) {
      const { name, clock } = this.#options;
      const error = (): Error => {
        const message = `Load of \`${name}\` did not finish within \`timeoutMs\` (${timeoutMs} ms)`;
        return callError(name, 'ERR_CALLER_TIMEOUT', message, { key });
      };
      call.leaveAfter(timeoutMs, { clock, error });
    }
    return call.promise;
  }

  /** Adds a call that may leave to a load in flight. */
  #wait(load: Load<K, V>): WaitingCall<V> {
    load.waiting ??= {
      calls: new Set(),
      copy: this.#copy,
      onLeave: () => {
        this.#counts.left += 1;
        if (load.leave() && this.#options.abortWhen === 'unused') this.#abandon(load);
      },
    };
    return new WaitingCall(load.waiting);
  }

  /** Joins the load of a key, or starts it. */
  #loadOf(key: K, id: KeyValue): Load<K, V> {
    const load = this.#loads.get(id);
    if (load?.promise === undefined) return this.#open(key, id);
    if (load.waiters >= this.#maxWaiters) {
      return this.#overflow(key, 'ERR_TOO_MANY_WAITERS', this.#maxWaiters);
    }
    load.waiters += 1;
    this.#joined += 1;
    if (load.trace !== undefined) this.#publishJoin(load, load.trace);
    return load;
  }

  #publishJoin({ key, waiters }: Load<K, V>, { name, loadId }: LoadTrace): void {
    if (joinChannel.hasSubscribers) joinChannel.publish({ name, key, loadId, waiters });
  }

  /** Starts the load that later calls join. One in flight goes on for its callers. */
  #open(key: K, id: KeyValue, cause: 'call' | 'renewal' = 'call'): Load<K, V> {
    if (this.#closed) throw this.#closedError();
    const before = this.#loads.get(id);
    if (before !== undefined && before.promise === undefined) {
      const { name } = this.#options;
      const message = `Cannot get from \`${name}\`: its loader asked for the key that it is loading`;
      throw callError(name, 'ERR_REENTRANT', message, { key });
    }
    const { maxKeys } = this.#options;
    if (this.#isFull()) return this.#overflow(key, 'ERR_TOO_MANY_KEYS', maxKeys);
    this.#detach(id);
    const load = new Load<K, V>(key, id);
    this.#loads.set(id, load);
    if (cause === 'call') this.#counts.led += 1;
    return this.#start(load, cause);
  }

  /** Returns whether there is no room. Detached loads count up to a bound, so that more of them refuse no further calls. */
  #isFull(): boolean {
    return this.#loads.size + this.#detached.size >= this.#options.maxKeys;
  }

  /** Lets no further call join the load of a key. Returns whether there was one. */
  #detach(id: KeyValue): boolean {
    const load = this.#loads.get(id);
    if (load === undefined) return false;
    this.#detached.add(load);
    return this.#loads.delete(id);
  }

  #overflow(key: K, code: 'ERR_TOO_MANY_KEYS' | 'ERR_TOO_MANY_WAITERS', limit: number): Load<K, V> {
    this.#counts.overflowed += 1;
    if (overflowChannel.hasSubscribers) {
      overflowChannel.publish({ name: this.#options.name, key, code });
    }
    if (this.#options.overflow === 'bypass') {
      // Not in the map: no call joins it, and its result is not kept.
      const load = new Load<K, V>(key, undefined);
      this.#bypassing.add(load);
      return this.#start(load, 'overflow');
    }
    const { name } = this.#options;
    const [option, what] =
      code === 'ERR_TOO_MANY_KEYS'
        ? ['maxKeys', 'loads are in flight']
        : ['maxWaitersPerKey', 'callers wait for the key'];
    const message = `Coalescer \`${name}\` is full: \`${option}\` (${limit}) ${what}`;
    throw callError(name, code, message, { key, limit });
  }

  #start(load: Load<K, V>, cause: LoadTrace['cause']): Load<K, V> {
    this.#counts.loaded += 1;
    const tagged = this.#kept?.tagged?.loads;
    tagged?.begin(load);
    const run = this.#runner.run(load, cause);
    const promise = tagged === undefined ? run : run.then((value) => tagged.read(load, value));
    load.promise = promise;
    // Attached before the callers' handlers, so that the key has left the map when they run.
    promise.then(
      (value) => {
        tagged?.end(load);
        if (this.#release(load)) this.#kept?.keepValue(load, promise, value);
        if (tagged !== undefined && this.#inFlight() === 0) tagged.idle();
        this.#runner.settled(load, {});
        if (load.waiting) settleCalls(load.waiting, (call) => call.resolve(value));
      },
      (error) => {
        this.#counts.failed += 1;
        if (this.#release(load)) this.#kept?.keepError(load.id, promise, error);
        if (tagged !== undefined && this.#inFlight() === 0) tagged.idle();
        this.#runner.settled(load, { error });
        if (load.waiting) settleCalls(load.waiting, (call) => call.reject(error));
      },
    );
    return load;
  }

  /** Returns whether the load was the current one of its key: the result of another is not kept. */
  #release(load: Load<K, V>): boolean {
    if (this.#loads.get(load.id) === load) return this.#loads.delete(load.id);
    if (!this.#detached.delete(load)) this.#bypassing.delete(load);
    return false;
  }

  /** Aborts a load for which no caller is waiting. No call joins it. */
  #abandon(load: Load<K, V>): void {
    this.#counts.aborted += 1;
    this.#release(load);
    if (this.#inFlight() === 0) this.#kept?.tagged?.loads.idle();
    const { name } = this.#options;
    const message = `Load of \`${name}\` was aborted: no caller is waiting`;
    this.#runner.abort(load, callError(name, 'ERR_ABORTED', message, { key: load.key }));
  }

  /** Returns a kept result. A stale one is renewed by one load in the background. */
  #useKept(key: K, id: KeyValue): Promise<V> | undefined {
    const kept = this.#kept?.use(id);
    if (kept === undefined) return undefined;
    if (hitChannel.hasSubscribers) {
      hitChannel.publish({ name: this.#options.name, key, kind: kept.outcome.kind });
    }
    if (kept.outcome.kind === 'error') {
      this.#counts.errorHits += 1;
      return kept.promise;
    }
    this.#counts.hits += 1;
    if (this.#kept?.isFresh(kept)) return kept.promise;
    this.#counts.staleHits += 1;
    if (this.#kept?.mayRenew(kept) && !this.#loads.has(id) && !this.#isFull()) {
      this.#open(key, id, 'renewal').waiters = 0;
    }
    return kept.promise;
  }

  /** Returns the same promise for every caller, unless each gets its own copy. */
  #share(promise: Promise<V>): Promise<V> {
    return this.#copy === undefined ? promise : promise.then(this.#copy);
  }

  #closedError(): Error {
    const { name } = this.#options;
    return callError(name, 'ERR_CLOSED', `Cannot get from \`${name}\`: the coalescer is closed`);
  }
}
