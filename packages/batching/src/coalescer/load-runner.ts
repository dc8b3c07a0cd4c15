import { AsyncResource } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { callError } from '../errors.ts';
import type { LoadContext } from './coalescer.ts';
import type { CoalescerCounts } from './coalescer-counts.ts';
import type { ResolvedCoalescerOptions } from './coalescer-options.ts';
import type { Load } from './load.ts';

/** What a coalescer is made over. */
export type Loader<K, V> = (key: K, context: LoadContext<K>) => V | PromiseLike<V>;

const loadSettled = channel('ticketing:batching:load');

/** Calls the loader: in its context, for its time, with its outcome published. */
export class LoadRunner<K, V> {
  readonly #load: Loader<K, V>;
  readonly #options: ResolvedCoalescerOptions<K, V>;
  readonly #counts: CoalescerCounts;
  /** Runs the loader as if the coalescer's maker called it, whoever asked. Cheaper than `AsyncLocalStorage.snapshot()`. */
  readonly #scope: AsyncResource | undefined;

  constructor(
    load: Loader<K, V>,
    options: ResolvedCoalescerOptions<K, V>,
    counts: CoalescerCounts,
  ) {
    this.#counts = counts;
    this.#load = load;
    this.#options = options;
    if (options.context === 'detached') {
      this.#scope = new AsyncResource('ticketing.coalescer', { requireManualDestroy: true });
    }
  }

  /** Calls the loader at once; whatever it does, the outcome is a promise. */
  run(load: Load<K, V>): Promise<V> {
    const call = this.#load;
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

  /** Ends the load's timer, and tells who listens. */
  settled(load: Load<K, V>, outcome: { readonly error?: unknown }): void {
    load.settled = true;
    if (load.timer !== undefined) this.#options.clock.clearTimeout(load.timer);
    if (!loadSettled.hasSubscribers) return;
    const { name, clock } = this.#options;
    const ms = load.startedAt === undefined ? undefined : clock.now() - load.startedAt;
    loadSettled.publish({ name, key: load.key, ms, ...outcome });
  }

  /** No caller is waiting for the outcome. */
  abort(load: Load<K, V>, reason: Error): void {
    if (load.timer !== undefined) this.#options.clock.clearTimeout(load.timer);
    load.abort(reason);
  }

  #limit(load: Load<K, V>, promise: Promise<V>, limit: number): Promise<V> {
    const { name, clock } = this.#options;
    return new Promise((resolve, reject) => {
      load.timer = clock.setTimeout(() => {
        const expected = `an answer of the loader within ${limit} ms`;
        const error = callError(name, 'ERR_LOAD_TIMEOUT', {
          expected,
          got: 'none',
          key: load.key,
          limit,
        });
        this.#counts.aborted += 1;
        reject(error);
        load.abort(error);
      }, limit);
      promise.then(resolve, reject);
    });
  }
}

/**
 * Freezes a value and everything that it holds by own properties, once. Binary data and what Map and Set
 * hold cannot be frozen by the platform, and stay as they are.
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
