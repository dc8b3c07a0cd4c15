import { callError } from '../errors.ts';
import type { BatchRunner } from './batch-runner.ts';
import { nextMicrotask } from './batch-schedule.ts';
import type { ResolvedBatcherOptions } from './batcher-options.ts';
import { KeyBatch, type KeyBatchOptions } from './key-batch.ts';

/** Decides which batch takes keys, and when each is sent. */
export class BatchQueue<K, V> {
  /** The batch that takes keys; it may be full until the next key comes. */
  current: KeyBatch<K, V> | undefined;
  overflowed = 0;
  readonly #options: ResolvedBatcherOptions<K, V>;
  readonly #runner: BatchRunner<K, V>;
  readonly #keys: KeyBatchOptions;
  /** Keys that wait in other batches than `current`. */
  #queuedElsewhere = 0;
  /** Due batches above `concurrency`, each with its `next`. */
  #first: KeyBatch<K, V> | undefined;
  #last: KeyBatch<K, V> | undefined;

  constructor(options: ResolvedBatcherOptions<K, V>, runner: BatchRunner<K, V>) {
    this.#options = options;
    this.#runner = runner;
    const compared = !options.distinct || options.cache !== undefined;
    this.#keys = { compared, plain: options.key === undefined };
  }

  /** Keys that wait, in all. */
  get queued(): number {
    return this.#queuedElsewhere + (this.current?.size ?? 0);
  }

  /** Sends a full batch, within the call of the next key. Returns whether it did: the loader may have asked for that key. */
  makeRoom(): boolean {
    const batch = this.current;
    if (batch?.size !== this.#options.maxBatchSize) return false;
    this.current = undefined;
    this.#queuedElsewhere += batch.size;
    this.#due(batch);
    return true;
  }

  /** Returns the batch that takes a key; it must not be full. @throws BatchingError above `maxQueued` */
  take(key: K): KeyBatch<K, V> {
    const { maxBatchSize, maxQueued, name } = this.#options;
    if (this.queued >= maxQueued) {
      this.overflowed += 1;
      const message = `Batcher \`${name}\` is full: \`maxQueued\` (${maxQueued}) keys wait`;
      throw callError(name, 'ERR_TOO_MANY_KEYS', message, { key, limit: maxQueued });
    }
    this.current ??= new KeyBatch(this.#keys);
    this.current.easySize = Math.min(maxBatchSize - 1, maxQueued - this.#queuedElsewhere);
    return this.current;
  }

  /** Notes an added key: the first schedules the batch, the last sends it. @throws what the caller's own schedule throws */
  added(batch: KeyBatch<K, V>): void {
    const { maxBatchSize, maxWaitMs, schedule, clock } = this.#options;
    if (batch.size !== 1 && batch.size !== maxBatchSize) return;
    if (batch.state !== 'collecting') return;
    const dispatch = (): void => this.#due(batch);
    if (batch.size === maxBatchSize) {
      this.#stopTimer(batch);
      // Not within this call: equal keys that follow still join.
      nextMicrotask(dispatch);
    } else if (maxWaitMs > 0) {
      batch.timer = clock.setTimeout(dispatch, maxWaitMs);
    } else {
      schedule(dispatch);
    }
  }

  /** Notes a removed key. A collecting batch without keys ends, and its timer; one that is due keeps its turn. */
  removed(batch: KeyBatch<K, V>): void {
    if (batch !== this.current) this.#queuedElsewhere -= 1;
    if (batch.size > 0 || batch.state !== 'collecting') return;
    if (batch === this.current) this.current = undefined;
    this.#stopTimer(batch);
    batch.state = 'settled';
  }

  /** Sends the current batch, as far as `concurrency` allows. */
  flush(): void {
    if (this.current !== undefined) this.#due(this.current);
  }

  /** Sends due batches after one under way has ended. */
  advance(): void {
    while (this.#first !== undefined && this.#isFree()) this.#send(this.#shift(this.#first));
  }

  /** Ends all batches that wait, and returns them. */
  drain(): KeyBatch<K, V>[] {
    const waiting: KeyBatch<K, V>[] = [];
    while (this.#first !== undefined) waiting.push(this.#shift(this.#first));
    if (this.current?.state === 'collecting') waiting.push(this.current);
    for (const batch of waiting) this.end(batch);
    return waiting;
  }

  /** Ends a batch that waits. */
  end(batch: KeyBatch<K, V>): void {
    if (batch === this.current) this.current = undefined;
    else this.#queuedElsewhere -= batch.size;
    this.#stopTimer(batch);
    batch.state = 'settled';
  }

  #due(batch: KeyBatch<K, V>): void {
    if (batch.state !== 'collecting') return;
    this.#stopTimer(batch);
    batch.state = 'due';
    if (this.#isFree()) this.#send(batch);
    else {
      if (this.#last === undefined) this.#first = batch;
      else this.#last.next = batch;
      this.#last = batch;
    }
  }

  #shift(first: KeyBatch<K, V>): KeyBatch<K, V> {
    this.#first = first.next;
    if (this.#first === undefined) this.#last = undefined;
    first.next = undefined;
    return first;
  }

  #send(batch: KeyBatch<K, V>): void {
    const { size } = batch;
    this.end(batch);
    if (size > 0) this.#runner.run(batch);
  }

  #isFree(): boolean {
    return this.#runner.underWay.size < this.#options.concurrency;
  }

  #stopTimer(batch: KeyBatch<K, V>): void {
    if (batch.timer === undefined) return;
    this.#options.clock.clearTimeout(batch.timer);
    batch.timer = undefined;
  }
}
