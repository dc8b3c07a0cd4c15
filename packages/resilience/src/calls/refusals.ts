import { circuitOpen, type GuardError, overloaded, paused, rateLimited } from '../errors.ts';
import type { GuardRecord } from '../guard-record.ts';
import { circuitRetryAfterMs } from '../state/circuit.ts';
import { medianOf } from '../state/latencies.ts';
import { limitOf } from '../state/limit.ts';
import { sendableAt } from '../state/rate.ts';

export function circuitRefusal({ circuit, options }: GuardRecord, now: number): GuardError {
  const ms = circuit === undefined ? 0 : circuitRetryAfterMs(circuit, now);
  return circuitOpen(options.name, Math.ceil(ms));
}

/** Refusal of an attempt for which there is no token, or in a pause. */
export function rateRefusal({ rate, line, options }: GuardRecord, now: number): GuardError {
  const ms = Math.ceil(sendableAt(rate, line.size, now) - now);
  return rate.pausedUntil > now || options.rate === undefined
    ? paused(options.name, ms)
    : rateLimited(options.name, ms, options.rate.perSecond);
}

/** Refusal of an attempt for which there is no place: by estimate there is one when as many have settled as wait before it. */
export function placeRefusal({ limit, line, latencies, options }: GuardRecord): GuardError {
  const places = limitOf(limit);
  const ms = Math.ceil((medianOf(latencies) * (line.size + 1)) / places);
  return overloaded(options.name, Math.max(1, ms), places);
}
