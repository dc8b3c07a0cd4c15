// A rate of 5 per second with bursts of 5, under 20 calls per second.
import { createGuard } from '../../src/index.ts';
import { steadyLoad } from './steady-load.ts';
import { startUpstream } from './upstream.ts';

const RATE = { perSecond: 5, burst: 5 };

export interface RateFigures {
  readonly calls: number;
  readonly requests: number;
  /** Most requests that reached the carrier above `burst + perSecond × t`, over every span of time; at most 0 where the rate holds. */
  readonly above: number;
  /** Requests that were sent above that, likewise: without what the way to the carrier adds. */
  readonly sentAbove: number;
  /** Longest time from the send of a request until it reached the carrier. */
  readonly transitMs: number;
}

/** Makes calls for a number of seconds. */
export async function measureLimitedRate(seconds: number): Promise<RateFigures> {
  await using upstream = await startUpstream({ limited: { latency: { kind: 'fixed', ms: 5 } } });
  await using guard = createGuard({ name: 'limited', rate: RATE });
  await upstream.connect(10);
  const sent: number[] = [];
  const calls = await steadyLoad({ perSecond: 20, seconds }, () =>
    guard.run(({ signal }) => {
      sent.push(performance.now());
      return upstream.ask('limited', signal);
    }),
  );
  const arrivals = upstream.arrivals('limited');
  return {
    calls: calls.length,
    requests: upstream.arrived('limited'),
    above: mostAbove(arrivals),
    sentAbove: mostAbove(sent),
    transitMs: Math.max(...arrivals.map((at, index) => at - (sent[index] ?? Number.NaN))),
  };
}

/** Returns the most events above `burst + perSecond × t`, over every span from one event to another. */
export function mostAbove(timesMs: readonly number[]): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const [first, from] of timesMs.entries()) {
    for (let last = first; last < timesMs.length; last += 1) {
      const seconds = ((timesMs[last] ?? Number.NaN) - from) / 1000;
      most = Math.max(most, last - first + 1 - RATE.burst - RATE.perSecond * seconds);
    }
  }
  return most;
}
