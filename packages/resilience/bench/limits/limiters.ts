// Limits for the modelled carrier: that of the guard, fixed ones, and the gradient of Netflix's concurrency-limits.
import { createLimit, freePlace, limitOf, noteLatency, takePlace } from '../../src/state/limit.ts';
import type { Limiter } from './modelled-carrier.ts';

const BOUNDS = { initial: 16, min: 2, max: 256, maxQueued: 0 };

/** The adaptive limit of a guard, with its defaults. */
export function guardLimiter(): Limiter {
  const limit = createLimit({ ...BOUNDS, isAdaptive: true });
  return {
    limit: () => limitOf(limit),
    began: () => takePlace(limit),
    ended({ startedAt, now }) {
      noteLatency(limit, now - startedAt, startedAt, now);
      freePlace(limit);
    },
  };
}

export function fixedLimiter(limit: number): Limiter {
  return { limit: () => limit, began: () => {}, ended: () => {} };
}

/**
 * The gradient: a long average of the latency over a short one, with a tolerance of 1.5, and room for a queue of the limit's square
 * root. The source is Gradient2Limit of Netflix's concurrency-limits.
 */
export function gradientLimiter(): Limiter {
  let limit = BOUNDS.initial;
  let inFlight = 0;
  let shortMs = 0;
  let longMs = 0;
  return {
    limit: () => Math.floor(limit),
    began() {
      inFlight += 1;
    },
    ended({ startedAt, now }) {
      const ms = now - startedAt;
      shortMs += shortMs === 0 ? ms : (ms - shortMs) / 10;
      longMs += longMs === 0 ? ms : (ms - longMs) / 600;
      inFlight -= 1;
      if (inFlight + 1 < limit / 2) return;
      const gradient = Math.max(0.5, Math.min(1, (1.5 * longMs) / shortMs));
      const next = 0.8 * limit + 0.2 * (gradient * limit + Math.sqrt(limit));
      limit = Math.max(BOUNDS.min, Math.min(BOUNDS.max, next));
    },
  };
}
