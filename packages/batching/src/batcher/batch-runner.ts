import { AsyncResource } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { callError } from '../errors.ts';
import { type BatchOutcome, readBatchResult } from './batch-outcome.ts';
import type { BatchContext, BatchResult } from './batcher.ts';
import type { ResolvedBatcherOptions } from './batcher-options.ts';
import type { KeyBatch } from './key-batch.ts';

/** What a batcher is made over. */
export type BatchLoader<K, V> = (
  keys: readonly K[],
  context: BatchContext,
) => PromiseLike<BatchResult<K, V>>;

const batchSettled = channel('ticketing:batching:batch');

/** Calls the batch loader: for its time, with its outcome read, handed out and published. */
export class BatchRunner<K, V> {
  readonly underWay: Set<KeyBatch<K, V>> = new Set();
  batches = 0;
  loaded = 0;
  failed = 0;
  inFlight = 0;
  readonly #load: BatchLoader<K, V>;
  readonly #options: ResolvedBatcherOptions<K, V>;
  readonly #onSettle: (batch: KeyBatch<K, V>, outcome: BatchOutcome<V>) => void;
  /** Runs the loader as if the batcher's maker called it: a batch has callers of many contexts. */
  readonly #scope = new AsyncResource('ticketing.batcher', { requireManualDestroy: true });

  /** @param onSettle called once a batch, before its callers learn of the outcome */
  constructor(
    load: BatchLoader<K, V>,
    options: ResolvedBatcherOptions<K, V>,
    onSettle: (batch: KeyBatch<K, V>, outcome: BatchOutcome<V>) => void,
  ) {
    this.#load = load;
    this.#options = options;
    this.#onSettle = onSettle;
  }

  /** Calls the loader at once; what it does, a throw included, settles the batch later. */
  run(batch: KeyBatch<K, V>): void {
    const { size } = batch;
    const { clock, loadTimeoutMs, cache } = this.#options;
    const keys = batch.keys();
    // No call joins it from here on; kept results still serve.
    if (cache === undefined) batch.promises = undefined;
    batch.state = 'under-way';
    batch.awaited = size;
    batch.startedAt = clock.now();
    this.underWay.add(batch);
    this.batches += 1;
    this.loaded += size;
    this.inFlight += size;
    if (loadTimeoutMs !== undefined) {
      batch.timer = clock.setTimeout(() => this.#expire(batch, loadTimeoutMs), loadTimeoutMs);
    }
    this.#call(keys, batch).then(
      (result) => {
        if (batch.state !== 'under-way') return;
        let outcome: BatchOutcome<V>;
        try {
          outcome = readBatchResult(result, { keys, size }, this.#options);
        } catch (error) {
          outcome = { kind: 'failure', error };
        }
        this.#settle(batch, outcome);
      },
      (error) => this.#settle(batch, { kind: 'failure', error }),
    );
  }

  #call(keys: readonly K[], batch: KeyBatch<K, V>): Promise<BatchResult<K, V>> {
    try {
      return Promise.resolve(this.#scope.runInAsyncScope(this.#load, undefined, keys, batch));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #expire(batch: KeyBatch<K, V>, limit: number): void {
    const expected = `an answer of its batch loader within ${limit} ms`;
    const failure = { expected, got: 'none', limit };
    const error = callError(this.#options.name, 'ERR_BATCH_TIMEOUT', failure);
    this.#settle(batch, { kind: 'timeout', error });
  }

  #settle(batch: KeyBatch<K, V>, outcome: BatchOutcome<V>): void {
    if (batch.state !== 'under-way') return;
    const { size } = batch;
    const { clock, name } = this.#options;
    const failed = outcome.kind === 'answers' ? outcome.failed : size;
    batch.state = 'settled';
    if (batch.timer !== undefined) clock.clearTimeout(batch.timer);
    this.underWay.delete(batch);
    this.inFlight -= size;
    this.failed += failed;
    this.#onSettle(batch, outcome);
    if (outcome.kind === 'answers') batch.answer(outcome.answers);
    else batch.fail(outcome.error);
    if (batchSettled.hasSubscribers) {
      batchSettled.publish({ name, keys: size, ms: clock.now() - batch.startedAt, failed });
    }
  }
}
