import { callError } from '../errors.ts';
import type { BatchResult } from './batcher.ts';
import type { ResolvedBatcherOptions } from './batcher-options.ts';

/** An answer for each key, or why no key has one; after a timeout the loader may still be at work. */
export type BatchOutcome<V> =
  | { readonly kind: 'answers'; readonly answers: readonly (V | Error)[]; readonly failed: number }
  | { readonly kind: 'failure' | 'timeout'; readonly error: unknown };

/** What was asked of a batch loader. */
export interface BatchQuestion<K> {
  readonly keys: readonly K[];
  /** How many there were; the loader may have changed `keys`. */
  readonly size: number;
}

/** Reads what a batch loader gave for its keys. */
export function readBatchResult<K, V>(
  result: BatchResult<K, V>,
  { keys, size }: BatchQuestion<K>,
  { name, missing }: Pick<ResolvedBatcherOptions<K, V>, 'name' | 'missing'>,
): BatchOutcome<V> {
  let answers: readonly (V | Error)[];
  if (Array.isArray(result)) answers = result;
  else if (result instanceof Map) {
    const named = missing === 'error' ? name : undefined;
    answers = keys.map((key) => answerOf(result, key, named));
  } else {
    const expected = 'an array or a Map of its batch loader';
    const got = result === null ? 'null' : typeof result;
    return { kind: 'failure', error: callError(name, 'ERR_BATCH_RESULT', { expected, got }) };
  }
  if (answers.length === size) return counted(answers);
  const expected = `${size} results of its batch loader`;
  const got = String(answers.length);
  return { kind: 'failure', error: callError(name, 'ERR_BATCH_LENGTH', { expected, got }) };
}

/** @param name of the batcher, if a key that the map does not have is an error */
function answerOf<K, V>(
  results: ReadonlyMap<K, V | Error>,
  key: K,
  name: string | undefined,
): V | Error {
  const answer = results.get(key);
  if (answer !== undefined || name === undefined || results.has(key)) return answer as V | Error;
  const expected = 'a result for each key of its batch loader';
  const shown = Object(key) === key ? 'an object' : String(key);
  return callError(name, 'ERR_KEY_MISSING', { expected, got: `none for ${shown}`, key });
}

function counted<V>(answers: readonly (V | Error)[]): BatchOutcome<V> {
  let failed = 0;
  for (const answer of answers) if (answer instanceof Error) failed += 1;
  return { kind: 'answers', answers, failed };
}
