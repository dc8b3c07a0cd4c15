import { quantile } from '@ticketing/bench-kit';

/** End of one call. Times in milliseconds since the load began. */
export interface Ended {
  /** Time at which the call was due, from which on its latency counts. */
  readonly dueMs: number;
  readonly endedMs: number;
  /** Error of a call that failed. */
  readonly error?: unknown;
}

/** Makes calls at a constant rate, whether or not earlier ones have ended. Resolves when all have. */
export async function steadyLoad(
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  call: (dueMs: number) => Promise<unknown>,
): Promise<readonly Ended[]> {
  const startedAt = performance.now();
  const elapsedMs = (): number => performance.now() - startedAt;
  const calls: Promise<Ended>[] = [];
  const total = perSecond * seconds;
  const begin = async (dueMs: number): Promise<Ended> => {
    try {
      await call(dueMs);
      return { dueMs, endedMs: elapsedMs() };
    } catch (error) {
      return { dueMs, endedMs: elapsedMs(), error };
    }
  };
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      // Timers are late at times: all calls that are due begin then.
      while (calls.length < total && (1000 * calls.length) / perSecond <= elapsedMs()) {
        calls.push(begin((1000 * calls.length) / perSecond));
      }
      if (calls.length < total) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
  return Promise.all(calls);
}

/** Returns a quantile of the latencies of calls that succeeded, in milliseconds. */
export function latencyMs(calls: readonly Ended[], share: number): number {
  const succeeded = calls.filter((call) => !('error' in call));
  const sorted = succeeded.map(({ dueMs, endedMs }) => endedMs - dueMs).sort((a, b) => a - b);
  return quantile(sorted, share);
}
