import type { GuardRecord } from './guard-record.ts';
import type { CircuitStats, GuardStats } from './guard-stats.ts';
import { balanceOf } from './state/budget.ts';
import { circuitRetryAfterMs, forgetBefore } from './state/circuit.ts';
import { percentile } from './state/latencies.ts';
import { limitOf } from './state/limit.ts';
import { tokensOf } from './state/rate.ts';

/** Returns the counters of a guard, and the state of its parts. */
export function statsOf(guard: GuardRecord): GuardStats {
  const { budget, clock, counts, latencies, limit, line, options, rate, watch } = guard;
  const now = clock.now();
  const tokens = tokensOf(rate, now);
  const places = limitOf(limit);
  return {
    name: options.name,
    calls: {
      begun: counts.calls,
      inFlight: watch.size,
      succeeded: counts.succeeded,
      failed: counts.failed,
      timedOut: counts.timeouts,
      left: counts.left,
    },
    attempts: { first: counts.firsts, retry: counts.retries, hedge: counts.hedges },
    outcomes: {
      success: counts.success,
      failure: counts.failure,
      throttled: counts.throttled,
      ignored: counts.ignored,
    },
    refused: {
      circuitOpen: counts.circuitOpen,
      rateLimited: counts.rateLimited,
      overloaded: counts.overloaded,
      noBudget: counts.noBudget,
    },
    attemptTimeouts: counts.attemptTimeouts,
    hedgesWon: counts.hedgesWon,
    circuit: circuitStats(guard, now),
    rate: {
      tokens: Number.isFinite(tokens) ? tokens : null,
      pausedMs: Math.max(0, Math.ceil(rate.pausedUntil - now)),
      pauses: rate.pauses,
    },
    concurrency: {
      limit: Number.isFinite(places) ? places : null,
      inFlight: limit.inFlight,
      queued: line.size,
      abandoned: counts.abandoned,
    },
    budget: budget === undefined ? null : balanceOf(budget, now),
    latency: {
      samples: latencies.count,
      p50Ms: percentile(latencies, 0.5),
      p95Ms: percentile(latencies, 0.95),
      p99Ms: percentile(latencies, 0.99),
    },
  };
}

function circuitStats({ circuit }: GuardRecord, now: number): CircuitStats | null {
  if (circuit === undefined) return null;
  forgetBefore(circuit, now - circuit.options.windowMs);
  const { state, count, failures, opened } = circuit;
  // Without a call nothing changes an open circuit whose time is over.
  const isOver = state.kind === 'open' && now >= state.until;
  return {
    kind: isOver ? 'half-open' : state.kind,
    retryAfterMs: Math.ceil(circuitRetryAfterMs(circuit, now)),
    outcomes: count,
    failures,
    opened,
  };
}
