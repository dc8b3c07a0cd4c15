import type { ResolvedConcurrency } from '../guard-options.ts';

/** Record of attempts in flight and of their limit; the functions of this file alone write it. */
export interface Limit {
  readonly options: ResolvedConcurrency | undefined;
  /** Limit before rounding; Infinity without one. */
  exact: number;
  inFlight: number;
  /** Average latency of the last few answers, in milliseconds; 0 before the first. */
  shortMs: number;
  /** Average latency of the last few hundred answers. */
  longMs: number;
}

export function createLimit(options: ResolvedConcurrency | undefined): Limit {
  return {
    options,
    exact: options?.initial ?? Number.POSITIVE_INFINITY,
    inFlight: 0,
    shortMs: 0,
    longMs: 0,
  };
}

export function limitOf({ exact }: Limit): number {
  return exact === Number.POSITIVE_INFINITY ? exact : Math.floor(exact);
}

export function hasPlace(limit: Limit): boolean {
  return limit.inFlight < Math.floor(limit.exact);
}

export function takePlace(limit: Limit): void {
  limit.inFlight += 1;
}

export function freePlace(limit: Limit): void {
  limit.inFlight -= 1;
}

/** Weight of one latency in the two averages. */
const SHORT_WEIGHT = 1 / 10;
const LONG_WEIGHT = 1 / 600;
/** Multiple of the long average up to which latencies are no sign of a queue. */
const TOLERANCE = 1.5;
const SMOOTHING = 0.2;
const AFTER_TIMEOUT = 0.9;

/** Adapts the limit to the latency of a success, whose attempt is in flight still. */
export function noteLatency(limit: Limit, ms: number): void {
  const { options } = limit;
  if (options?.isAdaptive !== true) return;
  limit.shortMs += limit.shortMs === 0 ? ms : (ms - limit.shortMs) * SHORT_WEIGHT;
  limit.longMs += limit.longMs === 0 ? ms : (ms - limit.longMs) * LONG_WEIGHT;
  if (limit.inFlight < limit.exact / 2 || limit.shortMs === 0) return;
  const gradient = Math.max(0.5, Math.min(1, (TOLERANCE * limit.longMs) / limit.shortMs));
  const next = gradient * limit.exact + Math.sqrt(limit.exact);
  set(limit, (1 - SMOOTHING) * limit.exact + SMOOTHING * next);
}

/** Lowers the limit after an attempt that was not answered in time. */
export function noteTimeout(limit: Limit): void {
  if (limit.options?.isAdaptive === true) set(limit, limit.exact * AFTER_TIMEOUT);
}

function set(limit: Limit, exact: number): void {
  const { min, max } = limit.options as ResolvedConcurrency;
  limit.exact = Math.max(min, Math.min(max, exact));
}
