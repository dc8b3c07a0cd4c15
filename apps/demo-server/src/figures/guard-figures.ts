import type { GuardStats } from '@ticketing/resilience';
import type { CarrierGuards } from '../guard/carrier-guards.ts';
import type { GuardFigures, Guards } from './joined-guards.ts';
import { rounded } from './rounded.ts';

/** Returns the figures of the guards of a process. */
export function guardFigures(guards: CarrierGuards): Guards {
  return Object.fromEntries(
    Object.entries(guards.stats()).map(([id, stats]) => [id, figuresOf(stats)]),
  );
}

function figuresOf(stats: GuardStats): GuardFigures {
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
    budget: budget === null ? undefined : rounded(budget),
    tokens: rate.tokens === null ? undefined : rounded(rate.tokens),
  };
}
