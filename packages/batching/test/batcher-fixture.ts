import { type BatcherOptions, type BatchResult, createBatcher } from '@ticketing/batching';

export type Key = string | number | symbol | undefined;

/** A batcher that answers each key with its text, or as told, and the batches that its loader saw. */
export function doubling(
  options: Partial<BatcherOptions<Key, unknown>> = {},
  answer: (keys: readonly Key[]) => unknown = (keys) => keys.map((key) => `${String(key)}!`),
) {
  const batches: (readonly Key[])[] = [];
  const batcher = createBatcher<Key, unknown>(
    async (keys) => {
      batches.push([...keys]);
      return answer(keys) as BatchResult<Key, unknown>;
    },
    { name: 'stops', ...options },
  );
  return { batcher, batches };
}
