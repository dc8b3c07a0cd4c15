import { type BatcherOptions, type BatchResult, createBatcher } from '@ticketing/batching';
import { afterEach, beforeEach, expect, vi } from 'vitest';

/** Each test of the file drives the clock, and leaves no timer and no unhandled rejection. */
export function useFakeClock(): void {
  const rejections: unknown[] = [];
  const remember = (reason: unknown): void => {
    rejections.push(reason);
  };
  beforeEach(() => {
    vi.useFakeTimers();
    rejections.length = 0;
    process.on('unhandledRejection', remember);
  });
  afterEach(async () => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', remember);
    expect(rejections).toEqual([]);
  });
}

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
