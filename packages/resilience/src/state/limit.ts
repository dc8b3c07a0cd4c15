import type { ResolvedConcurrency } from '../guard-options.ts';

/** Record of attempts in flight and of their limit; the functions of this file alone write it. */
export interface Limit {
  readonly options: ResolvedConcurrency | undefined;
  /** Limit before rounding; Infinity without one. */
  exact: number;
  inFlight: number;
  /** Latencies of the answers to attempts that were sent since the last change of the limit. */
  readonly window: LatencyWindow;
  /** Lowest mean of a window, in milliseconds: the latency without a queue. Infinity before the first. */
  baseMs: number;
  /** The window before the limit was lowered, while it is not known whether that made answers faster. */
  lowered: { readonly meanMs: number; readonly exact: number; readonly share: number } | undefined;
}

interface LatencyWindow {
  since: number;
  count: number;
  sumMs: number;
  /** Sum of the squares. */
  squares: number;
  mostInFlight: number;
}

/** Fewest answers of a window: with fewer a mean says little. */
const LEAST_ANSWERS = 16;
/** Multiple of the latency without a queue from which on there is one, as far as it is above what chance makes of it. */
const TOLERANCE = 1.1;
/** Standard errors of a mean that are put down to chance. */
const CHANCE = 2;
const LEAST_SHARE = 0.5;
const AFTER_TIMEOUT = 0.9;

export function createLimit(options: ResolvedConcurrency | undefined): Limit {
  return {
    options,
    exact: options?.initial ?? Number.POSITIVE_INFINITY,
    inFlight: 0,
    window: { since: Number.NEGATIVE_INFINITY, count: 0, sumMs: 0, squares: 0, mostInFlight: 0 },
    baseMs: Number.POSITIVE_INFINITY,
    lowered: undefined,
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

/**
 * Adapts the limit to the latency of a success, whose attempt is still in flight: after each window of as many answers as the limit
 * has places. Answers that are slower than those without a queue lower it in proportion, at most by half. If the next window is
 * not faster by half of that, it was no queue: the upstream itself is slower, and the limit returns. Otherwise it grows by half of
 * its square root, as long as half of it is used.
 */
export function noteLatency(limit: Limit, ms: number, startedAt: number, now: number): void {
  if (limit.options?.isAdaptive !== true) return;
  const { window } = limit;
  if (startedAt < window.since) return;
  window.count += 1;
  window.sumMs += ms;
  window.squares += ms * ms;
  if (limit.inFlight > window.mostInFlight) window.mostInFlight = limit.inFlight;
  if (window.count >= LEAST_ANSWERS && window.count >= limit.exact) endWindow(limit, now);
}

function endWindow(limit: Limit, now: number): void {
  const { window, lowered } = limit;
  const { count, sumMs, squares, mostInFlight } = window;
  beginWindow(window, now);
  const meanMs = sumMs / count;
  // Faster than the clock can tell.
  if (meanMs <= 0) return;
  const deviation = Math.sqrt(Math.max(0, squares / count - meanMs * meanMs));
  const chance = deviation / meanMs / Math.sqrt(count);
  limit.lowered = undefined;
  // With half of the queue its wait is half as long; other latency does not depend on the limit.
  if (lowered !== undefined && meanMs > (lowered.meanMs * (1 + lowered.share)) / 2) {
    limit.baseMs = meanMs;
    setLimit(limit, lowered.exact);
    return;
  }
  limit.baseMs = Math.min(limit.baseMs, meanMs * (1 + chance));
  if (mostInFlight < limit.exact / 2) return;
  const ratio = meanMs / limit.baseMs;
  const { exact } = limit;
  if (ratio <= TOLERANCE + CHANCE * chance) setLimit(limit, exact + Math.sqrt(exact) / 2);
  else {
    setLimit(limit, exact * Math.max(LEAST_SHARE, 1 / ratio));
    limit.lowered = { meanMs, exact, share: limit.exact / exact };
  }
}

/** Lowers the limit after an attempt that was not answered in time. */
export function noteTimeout(limit: Limit, now: number): void {
  if (limit.options?.isAdaptive !== true) return;
  beginWindow(limit.window, now);
  limit.lowered = undefined;
  setLimit(limit, limit.exact * AFTER_TIMEOUT);
}

function beginWindow(window: LatencyWindow, now: number): void {
  window.since = now;
  window.count = 0;
  window.sumMs = 0;
  window.squares = 0;
  window.mostInFlight = 0;
}

function setLimit(limit: Limit, exact: number): void {
  const { min, max } = limit.options as ResolvedConcurrency;
  limit.exact = Math.max(min, Math.min(max, exact));
}
