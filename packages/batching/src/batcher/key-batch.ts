import type { BatchTrace, InCaller } from '../batching-messages.ts';
import type { KeyValue } from '../canonical-key.ts';
import { batchChannel, inThisContext } from '../traces.ts';
import type { BatchContext } from './batcher.ts';
import { PromisedAnswers } from './promised-answers.ts';

/** A key whose first caller has a signal. It has a promise of its own, so that it can be removed. */
export interface LeavableKey<K, V> {
  readonly batch: KeyBatch<K, V>;
  readonly key: K;
  readonly id: KeyValue;
  readonly promise: Promise<V>;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
  /** Callers that have not left. */
  callers: number;
}

export interface KeyBatchOptions {
  /** True if equal keys share one place in the batch. */
  readonly compared: boolean;
  /** True if keys are compared by themselves, not by option `key`. */
  readonly plain: boolean;
}

/**
 * One batch, which is also its loader's context. It collects keys, is due, is under way, and has settled. A batch that is due
 * and waits for its turn may take further keys.
 */
export class KeyBatch<K, V> implements BatchContext {
  state: 'collecting' | 'due' | 'under-way' | 'settled' = 'collecting';
  /** Different keys. */
  size = 0;
  /** Size below which a key can be added without checking limits or timers. */
  easySize = 0;
  /** Batch that waits behind this one, once this one is due. */
  next: KeyBatch<K, V> | undefined;
  /** Number of keys with a caller that waits, once the batch is under way. */
  awaited = 0;
  /** Ends the wait of `maxWaitMs`, then the load at `loadTimeoutMs`. */
  timer: unknown;
  startedAt = 0;
  /** Present while somebody subscribes to the tracing channel: the context of the first key's caller. */
  readonly inCaller: InCaller | undefined = batchChannel.hasSubscribers
    ? inThisContext()
    : undefined;
  /** Trace of the batch, once it is under way and if it is traced. */
  trace: BatchTrace | undefined;
  /** Promises of the keys in this batch, unless keys are not compared. */
  promises: Map<KeyValue, Promise<V>> | undefined;
  readonly #answers = new PromisedAnswers<V>();
  /** Keys of callers that cannot leave, unless they are in `promises`. */
  readonly #keys: K[] | undefined;
  #leavable: Set<LeavableKey<K, V>> | undefined;
  #controller: AbortController | undefined;

  constructor({ compared, plain }: KeyBatchOptions) {
    if (compared) this.promises = new Map();
    if (!compared || !plain) this.#keys = [];
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** Aborts the signal, also one that is first read later. */
  abort(reason: unknown): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }

  /** Adds a key whose caller cannot leave. */
  add(key: K, id: KeyValue): Promise<V> {
    this.size += 1;
    this.#keys?.push(key);
    const promise = this.#answers.add();
    this.promises?.set(id, promise);
    return promise;
  }

  /** Adds a key whose caller has a signal. */
  addLeavable(key: K, id: KeyValue): LeavableKey<K, V> {
    let resolve!: (value: V) => void;
    let reject!: (error: unknown) => void;
    const promise = new Promise<V>((onValue, onError) => {
      resolve = onValue;
      reject = onError;
    });
    const leavable = { batch: this, key, id, promise, resolve, reject, callers: 1 };
    this.#leavable ??= new Set();
    this.#leavable.add(leavable);
    this.promises?.set(id, promise);
    this.size += 1;
    return leavable;
  }

  /** Removes a key before the batch is sent. */
  remove(leavable: LeavableKey<K, V>): void {
    this.size -= 1;
    this.#leavable?.delete(leavable);
    this.promises?.delete(leavable.id);
  }

  /** The keys in the order of the answers: first the keys of callers that cannot leave. */
  keys(): K[] {
    // Keys that are compared by themselves are in the map.
    const keys = this.#keys ?? (this.#keptIds() as K[]);
    return this.#leavable ? [...keys, ...[...this.#leavable].map(({ key }) => key)] : keys;
  }

  /** Compared forms of the keys, in the order of `keys`. */
  ids(): KeyValue[] {
    const ids = this.#keptIds();
    for (const { id } of this.leavableKeys()) ids.push(id);
    return ids;
  }

  /** Keys whose first caller has a signal, whoever has joined since. */
  leavableKeys(): Iterable<LeavableKey<K, V>> {
    return this.#leavable ?? [];
  }

  /** Settles each key by its answer. */
  answer(answers: readonly (V | Error)[]): void {
    this.#answers.give(answers);
    let place = this.#answers.size;
    for (const { resolve, reject } of this.leavableKeys()) {
      const answer = answers[place++] as V | Error;
      if (answer instanceof Error) reject(answer);
      else resolve(answer);
    }
  }

  /** Rejects every key. */
  fail(error: unknown): void {
    this.#answers.fail(error);
    for (const { reject } of this.leavableKeys()) reject(error);
  }

  #keptIds(): KeyValue[] {
    const ids = [...(this.promises?.keys() ?? [])];
    if (this.#leavable === undefined) return ids;
    const others = new Set([...this.#leavable].map(({ id }) => id));
    return ids.filter((id) => !others.has(id));
  }
}
