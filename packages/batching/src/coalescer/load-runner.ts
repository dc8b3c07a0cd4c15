import { AsyncResource } from 'node:async_hooks';
import { batchingChannel } from '../batching-channel.ts';
import type { LoadTrace } from '../batching-messages.ts';
import type { KeyValue } from '../canonical-key.ts';
import { callError } from '../errors.ts';
import { inThisContext, joinChannel, loadChannel, publishEnd } from '../traces.ts';
import type { WaitingCalls } from '../waiting-call.ts';
import type { LoadContext } from './coalescer.ts';
import type { ResolvedCoalescerOptions } from './coalescer-options.ts';

/**
 * One load: the entry of the map and also the loader's context, so that a key in flight costs one object. Loaders see it as
 * `LoadContext`.
 */
export class Load<K, V> implements LoadContext<K> {
  readonly key: K;
  readonly id: KeyValue;
  /** `undefined` while the loader's first synchronous steps run. */
  promise: Promise<V> | undefined;
  /** Starts with the first caller. */
  waiters = 1;
  settled = false;
  /** Ends the load at `loadTimeoutMs`. */
  timer: unknown;
  startedAt: number | undefined;
  /** Callers that may leave, if there are any. */
  waiting: WaitingCalls<V> | undefined;
  /** Present if somebody subscribed when it started. */
  trace: LoadTrace | undefined;
  #controller: AbortController | undefined;

  constructor(key: K, id: KeyValue) {
    this.key = key;
    this.id = id;
  }

  /** The promise, once the loader has been called. */
  get outcome(): Promise<V> {
    return this.promise as Promise<V>;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** Returns whether the last caller left before the load settled. A caller without signal or timeout never leaves. */
  leave(): boolean {
    this.waiters -= 1;
    return this.waiters === 0 && !this.settled;
  }

  /** Aborts the signal, also one that is first read later. */
  abort(reason: unknown): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }
}

/** Loads the value of a key. */
export type Loader<K, V> = (key: K, context: LoadContext<K>) => V | PromiseLike<V>;

const loadSettled = batchingChannel('ticketing:batching:load');

/** Calls the loader in its async context, limits its time, and publishes its outcome. */
export class LoadRunner<K, V> {
  readonly #load: Loader<K, V>;
  readonly #options: ResolvedCoalescerOptions<K, V>;
  readonly #onTimeout: () => void;
  /** Runs the loader in the context in which the coalescer was created. Cheaper than `AsyncLocalStorage.snapshot()`. */
  readonly #scope: AsyncResource | undefined;

  constructor(load: Loader<K, V>, options: ResolvedCoalescerOptions<K, V>, onTimeout: () => void) {
    this.#load = load;
    this.#options = options;
    this.#onTimeout = onTimeout;
    if (options.context === 'detached') {
      this.#scope = new AsyncResource('ticketing.coalescer');
    }
  }

  /** Calls the loader at once. A throw becomes a rejection. */
  run(load: Load<K, V>, cause: LoadTrace['cause']): Promise<V> {
    // A join looks at the load alone, which costs it less than a look at the channel.
    const isTraced = loadChannel.hasSubscribers || joinChannel.hasSubscribers;
    const call = isTraced ? this.#traced(load, cause) : this.#load;
    const { share, loadTimeoutMs, clock } = this.#options;
    if (loadSettled.hasSubscribers) load.startedAt = clock.now();
    let promise: Promise<V>;
    try {
      promise = Promise.resolve(
        this.#scope === undefined
          ? call(load.key, load)
          : this.#scope.runInAsyncScope(call, undefined, load.key, load),
      );
    } catch (error) {
      promise = Promise.reject(error);
    }
    if (share === 'freeze') promise = promise.then(deepFreeze);
    if (loadTimeoutMs === undefined) return promise;
    return this.#limit(load, promise, loadTimeoutMs);
  }

  /** Clears the load's timer and publishes the outcome. */
  settled(load: Load<K, V>, outcome: { readonly error?: unknown }): void {
    load.settled = true;
    if (load.timer !== undefined) this.#options.clock.clearTimeout(load.timer);
    if (load.trace !== undefined) {
      load.trace.waiters = load.waiters;
      publishEnd(loadChannel, Object.assign(load.trace, outcome));
    }
    if (!loadSettled.hasSubscribers) return;
    const { name, clock } = this.#options;
    const ms = load.startedAt === undefined ? undefined : clock.now() - load.startedAt;
    loadSettled.publish({ name, key: load.key, ms, ...outcome });
  }

  /** Ends the context of the loader, whose resources hooks hold until then. No load begins after it. */
  close(): void {
    this.#scope?.emitDestroy();
  }

  /** No caller is waiting for the outcome. */
  abort(load: Load<K, V>, reason: Error): void {
    if (load.timer !== undefined) this.#options.clock.clearTimeout(load.timer);
    load.abort(reason);
  }

  /** Returns the loader, called inside the stores that subscribers bind. */
  #traced(load: Load<K, V>, cause: LoadTrace['cause']): Loader<K, V> {
    const { name } = this.#options;
    const trace: LoadTrace = {
      name,
      key: load.key,
      loadId: crypto.randomUUID(),
      cause,
      inCaller: inThisContext(),
      waiters: cause === 'renewal' ? 0 : 1,
    };
    load.trace = trace;
    return (key, context) => {
      try {
        return loadChannel.start.runStores(trace, this.#load, undefined, key, context);
      } finally {
        loadChannel.end.publish(trace);
      }
    };
  }

  #limit(load: Load<K, V>, promise: Promise<V>, limit: number): Promise<V> {
    const { name, clock } = this.#options;
    return new Promise((resolve, reject) => {
      load.timer = clock.setTimeout(() => {
        const message = `Load of \`${name}\` did not finish within \`loadTimeoutMs\` (${limit} ms)`;
        const error = callError(name, 'ERR_LOAD_TIMEOUT', message, { key: load.key, limit });
        this.#onTimeout();
        reject(error);
        load.abort(error);
      }, limit);
      promise.then(resolve, reject);
    });
  }
}

/**
 * Freezes a value and everything reachable by own properties. The platform cannot freeze binary data and the entries of Map
 * and Set: they stay as they are.
 */
function deepFreeze<V>(value: V): V {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    if (ArrayBuffer.isView(next)) continue;
    Object.freeze(next);
    for (const name of Reflect.ownKeys(next)) {
      const property = Reflect.getOwnPropertyDescriptor(next, name);
      if (property && 'value' in property) open.push(property.value);
    }
  }
  return value;
}
