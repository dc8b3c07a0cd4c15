// A carrier that answers one request with 429 and `Retry-After: 5`, while calls go on.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createGuard, GuardError } from '../../src/index.ts';
import { steadyLoad } from './steady-load.ts';
import { startUpstream } from './upstream.ts';

const RETRY_AFTER_MS = 5000;

export interface PausedFigures {
  /** Calls during the pause, and calls that were refused with the time that is left. */
  readonly calls: number;
  readonly refused: number;
  /** Requests that reached the carrier within the pause. */
  readonly requests: number;
  /** Milliseconds from the end of the pause until the first request reached the carrier. */
  readonly lateMs: number;
  /** Longest delay of the event loop: a bound for what the machine adds to `lateMs`. */
  readonly delayMs: number;
}

/** Asks 20 times a second, over a pause and a second more. */
export async function measurePausedCarrier(): Promise<PausedFigures> {
  await using upstream = await startUpstream({ paused: { latency: { kind: 'fixed', ms: 5 } } });
  await using guard = createGuard({
    name: 'paused',
    rate: { perSecond: 1000, burst: 1000 },
    retry: {},
    circuit: {},
  });
  await upstream.connect(10);
  const ask = (): Promise<void> => guard.run(({ signal }) => upstream.ask('paused', signal));
  upstream.setPlan('paused', { fault: { kind: 'rate-limited', retryAfterSeconds: 5 } });
  await ask().catch(() => {});
  const pausedAt = performance.now();
  upstream.setPlan('paused', { fault: null });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const calls = await steadyLoad({ perSecond: 20, seconds: RETRY_AFTER_MS / 1000 + 1 }, ask);
  delay.disable();
  const arrivals = upstream.arrivals('paused').map((at) => at - pausedAt);
  const [first = Number.NaN] = arrivals;
  const failed = calls.filter(({ error }) => error !== undefined);
  return {
    calls: calls.filter(({ dueMs }) => dueMs < RETRY_AFTER_MS).length,
    refused: failed.filter(
      ({ error }) => GuardError.is(error) && (error.data.retryAfterMs ?? 0) > 0,
    ).length,
    requests: arrivals.filter((at) => at < RETRY_AFTER_MS).length,
    lateMs: first - RETRY_AFTER_MS,
    delayMs: delay.max / 1e6,
  };
}
