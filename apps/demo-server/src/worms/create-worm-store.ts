import { createHistogram } from 'node:perf_hooks';
import { WormError } from './worm-error.ts';
import type { WormSource, WormStore, WormStoreKind } from './worm-store.ts';

const CLOSED = 'Cannot find worms: an open store expected, got a closed one';

/** Gives a database its deadline and its counters. `deadlineMs`: for each question at most, the wait for a connection included. */
export function createWormStore(
  source: WormSource,
  { kind, deadlineMs: longestMs }: { readonly kind: WormStoreKind; readonly deadlineMs: number },
): WormStore {
  const microseconds = createHistogram({ figures: 3 });
  let [queries, running, errors] = [0, 0, 0];
  let closing: Promise<void> | undefined;
  const toMs = (value: number): number => Math.round(value) / 1000;
  return {
    async find(wormClass, { signal, deadlineMs = longestMs }) {
      signal.throwIfAborted();
      if (closing) throw new WormError('ERR_DATABASE_UNAVAILABLE', CLOSED);
      const startedAt = performance.now();
      queries++;
      running++;
      try {
        return await within(Math.min(deadlineMs, longestMs), signal, (ending) =>
          source.find(wormClass, { signal: ending }),
        );
      } catch (error) {
        if (!signal.aborted) errors++;
        throw error;
      } finally {
        running--;
        microseconds.record(Math.max(1, Math.round((performance.now() - startedAt) * 1000)));
      }
    },
    stats: () => ({
      kind,
      queries,
      running,
      errors,
      ms: {
        count: microseconds.count,
        mean: toMs(microseconds.count && microseconds.mean),
        p50: toMs(microseconds.count && microseconds.percentile(50)),
        p90: toMs(microseconds.count && microseconds.percentile(90)),
        p99: toMs(microseconds.count && microseconds.percentile(99)),
        max: toMs(microseconds.max),
      },
      driver: source.stats(),
    }),
    close: () => (closing ??= source.close()),
  };
}

/** Waits for work until the deadline or the signal, whichever is first, and not for how the work takes that. */
async function within<T>(
  deadlineMs: number,
  signal: AbortSignal,
  work: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const gone = (): void => ending.abort(signal.reason);
  signal.addEventListener('abort', gone, { once: true });
  const timer = setTimeout(() => {
    const message = `Cannot find worms: an answer of the database within ${deadlineMs} ms expected, got none`;
    ending.abort(new WormError('ERR_DATABASE_TIMEOUT', message));
  }, deadlineMs);
  try {
    return await new Promise<T>((resolve, reject) => {
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true });
      work(ending.signal).then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', gone);
  }
}
