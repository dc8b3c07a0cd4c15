import { AsyncResource } from 'node:async_hooks';
import { showValue } from '@ticketing/kit';
import { batchingChannel } from '../batching-channel.ts';
import type { BatchTrace } from '../batching-messages.ts';
import { callError } from '../errors.ts';
import { batchChannel, publishEnd } from '../traces.ts';
import type { BatchContext, BatchResult } from './batcher.ts';
import type { ResolvedBatcherOptions } from './batcher-options.ts';
import type { KeyBatch } from './key-batch.ts';

/** Loads the values of many keys, at once or by a promise. */
export type BatchLoader<K, V> = (
  keys: readonly K[],
  context: BatchContext,
) => BatchResult<K, V> | PromiseLike<BatchResult<K, V>>;

const batchSettled = batchingChannel('ticketing:batching:batch');

/** Calls the batch loader, limits its time, reads its outcome, and publishes it. */
export class BatchRunner<K, V> {
  readonly underWay: Set<KeyBatch<K, V>> = new Set();
  batches = 0;
  loaded = 0;
  failed = 0;
  inFlight = 0;
  readonly #load: BatchLoader<K, V>;
  readonly #options: ResolvedBatcherOptions<K, V>;
  readonly #onSettle: (batch: KeyBatch<K, V>, outcome: BatchOutcome<V>) => void;
  /** Runs the loader in the context in which the batcher was created: a batch has callers of many contexts. */
  readonly #scope = new AsyncResource('ticketing.batcher');

  /** @param onSettle called once per batch, before its callers get the outcome */
  constructor(
    load: BatchLoader<K, V>,
    options: ResolvedBatcherOptions<K, V>,
    onSettle: (batch: KeyBatch<K, V>, outcome: BatchOutcome<V>) => void,
  ) {
    this.#load = load;
    this.#options = options;
    this.#onSettle = onSettle;
  }

  /** Ends the context of the loader, whose resources hooks hold until then or until it is collected. No batch is sent after it. */
  close(): void {
    this.#scope.emitDestroy();
  }

  /** Calls the loader at once. Its outcome, a throw included, settles the batch later. */
  run(batch: KeyBatch<K, V>): void {
    const { size } = batch;
    const { clock, loadTimeoutMs, cache } = this.#options;
    const keys = batch.keys();
    // No call joins it from here on; only a cache still needs the promises.
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
    const load = batch.inCaller === undefined ? this.#load : this.#traced(batch);
    try {
      return Promise.resolve(this.#scope.runInAsyncScope(load, undefined, keys, batch));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Returns the loader, called inside the stores that subscribers bind. */
  #traced(batch: KeyBatch<K, V>): BatchLoader<K, V> {
    const trace: BatchTrace = {
      name: this.#options.name,
      keys: batch.size,
      batchId: crypto.randomUUID(),
      inCaller: batch.inCaller as BatchTrace['inCaller'],
    };
    batch.trace = trace;
    return (keys, context) => {
      try {
        return batchChannel.start.runStores(trace, this.#load, undefined, keys, context);
      } finally {
        batchChannel.end.publish(trace);
      }
    };
  }

  #expire(batch: KeyBatch<K, V>, limit: number): void {
    const { name } = this.#options;
    const message = `Batch of \`${name}\` did not finish within \`loadTimeoutMs\` (${limit} ms)`;
    const error = callError(name, 'ERR_BATCH_TIMEOUT', message, { limit });
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
    if (batch.trace !== undefined) {
      const error = outcome.kind === 'answers' ? {} : { error: outcome.error };
      publishEnd(batchChannel, Object.assign(batch.trace, { failed }, error));
    }
    if (batchSettled.hasSubscribers) {
      batchSettled.publish({ name, keys: size, ms: clock.now() - batch.startedAt, failed });
    }
  }
}

/** An answer for each key, or the reason why no key has one. After a timeout the loader may still be running. */
export type BatchOutcome<V> =
  | { readonly kind: 'answers'; readonly answers: readonly (V | Error)[]; readonly failed: number }
  | { readonly kind: 'failure' | 'timeout'; readonly error: unknown };

/** Reads what a batch loader gave for its keys. @throws BatchingError if it does not fit them */
function readBatchResult<K, V>(
  result: BatchResult<K, V>,
  { keys, size }: { readonly keys: readonly K[]; readonly size: number },
  { name, missing }: Pick<ResolvedBatcherOptions<K, V>, 'name' | 'missing'>,
): BatchOutcome<V> {
  let answers: readonly (V | Error)[];
  if (Array.isArray(result)) answers = result;
  else if (result instanceof Map) {
    const named = missing === 'error' ? name : undefined;
    answers = keys.map((key) => answerOf(result, key, named));
  } else {
    const message = `Batch loader of \`${name}\` must return an array or a Map, got ${showValue(result)}`;
    throw callError(name, 'ERR_BATCH_RESULT', message);
  }
  if (answers.length === size) return counted(answers);
  const message = `Batch loader of \`${name}\` must return one result per key (${size}), got ${answers.length}`;
  throw callError(name, 'ERR_BATCH_LENGTH', message);
}

/** @param name of the batcher, if a key that the map lacks is an error */
function answerOf<K, V>(
  results: ReadonlyMap<K, V | Error>,
  key: K,
  name: string | undefined,
): V | Error {
  const answer = results.get(key);
  if (answer !== undefined || name === undefined || results.has(key)) return answer as V | Error;
  const message = `Batch loader of \`${name}\` returned no result for key ${showValue(key)}; \`missing: 'undefined'\` allows that`;
  return callError(name, 'ERR_KEY_MISSING', message, { key });
}

function counted<V>(answers: readonly (V | Error)[]): BatchOutcome<V> {
  let failed = 0;
  for (const answer of answers) if (answer instanceof Error) failed += 1;
  return { kind: 'answers', answers, failed };
}
