import type { KeyValue, LoadContext } from './coalescer.ts';

/**
 * One load: what the map holds and, so that a key in flight costs one object, also what the loader
 * gets. Loaders see of it what `LoadContext` says.
 */
export class Load<K, V> implements LoadContext<K> {
  readonly key: K;
  readonly id: KeyValue;
  /** `undefined` while the loader's first synchronous steps run. */
  promise: Promise<V> | undefined;
  /** Begins with the one who asked first. */
  waiters = 1;
  settled = false;
  /** Ends the load at `loadTimeoutMs`. */
  timer: unknown;
  startedAt: number | undefined;
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

  /** Tells whether that was the last one. A caller without signal or timeout never leaves, and so keeps the load alive. */
  leave(): boolean {
    this.waiters -= 1;
    return this.waiters === 0 && !this.settled;
  }

  /** A signal that is first read after this has aborted, too. */
  abort(reason: unknown): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }
}
