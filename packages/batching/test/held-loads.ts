import { afterEach, beforeEach, expect } from 'vitest';
import type { LoadContext } from '../src/index.ts';

/** One call of a loader, settled by the test. */
export interface HeldLoad<K> {
  readonly key: K;
  readonly context: LoadContext<K>;
  resolve(value: string): void;
  reject(error: unknown): void;
}

/** A loader whose calls wait until the test settles them. */
export function holdLoads<K>(): {
  load: (key: K, context: LoadContext<K>) => Promise<string>;
  calls: HeldLoad<K>[];
} {
  const calls: HeldLoad<K>[] = [];
  return {
    calls,
    load: (key, context) =>
      new Promise((resolve, reject) => {
        calls.push({ key, context, resolve, reject });
      }),
  };
}

/** Lets every promise job that is due run. */
export function settleJobs(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** How a promise stands now. */
export async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  const open = Symbol('open');
  const outcome = await Promise.race([
    promise.catch((error) => ({ error })),
    settleJobs().then(() => open),
  ]);
  return outcome === open ? 'open' : outcome;
}

/** Each test of the file must leave no unhandled rejection. */
export function refuseUnhandledRejections(): void {
  const rejections: unknown[] = [];
  const remember = (reason: unknown): void => {
    rejections.push(reason);
  };
  beforeEach(() => {
    rejections.length = 0;
    process.on('unhandledRejection', remember);
  });
  afterEach(async () => {
    await settleJobs();
    process.off('unhandledRejection', remember);
    expect(rejections).toEqual([]);
  });
}
