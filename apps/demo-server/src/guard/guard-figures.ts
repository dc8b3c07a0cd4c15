import type { GuardStats } from '@ticketing/resilience';
import type { GuardFigures } from './joined-guards.ts';

/** Returns the counters of a guard as the server shows them. */
export function figuresOf(stats: GuardStats): GuardFigures {
  const { calls, attempts, outcomes, refused, circuit, rate, concurrency, budget } = stats;
  return {
    circuit: circuit?.kind ?? 'closed',
    openMs: circuit?.kind === 'open' ? circuit.retryAfterMs : 0,
    opened: circuit?.opened ?? 0,
    pausedMs: rate.pausedMs,
    pauses: rate.pauses,
    inFlight: concurrency.inFlight,
    calls: calls.begun,
    success: outcomes.success,
    failure: outcomes.failure,
    throttled: outcomes.throttled,
    ignored: outcomes.ignored,
    retries: attempts.retry,
    hedges: attempts.hedge,
    refusedByCircuit: refused.circuitOpen,
    refusedByRate: refused.rateLimited,
    budget: budget === null ? undefined : thousandths(budget),
    tokens: rate.tokens === null ? undefined : thousandths(rate.tokens),
  };
}

/** Returns a number to three digits after the point. */
function thousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}
