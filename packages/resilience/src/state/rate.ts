import type { ResolvedRate } from '../guard-options.ts';

/** Record of tokens and pauses; the functions of this file alone write it. Times are milliseconds of the guard's clock. */
export interface Rate {
  /** Milliseconds in which one token grows; 0 without a rate. */
  readonly tokenMs: number;
  readonly burst: number;
  readonly maxWaitMs: number;
  /** GCRA's theoretical arrival time: the bucket is full again at this time. */
  fullAt: number;
  /** End of the last pause. */
  pausedUntil: number;
  /** Pauses that began. An attempt that was sent before the last one does not make it longer than the upstream asked for. */
  pauses: number;
  /** Pauses in a row without a success between them. */
  pausesInARow: number;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

export function createRate(options: ResolvedRate | undefined): Rate {
  return {
    tokenMs: options === undefined ? 0 : 1000 / options.perSecond,
    burst: options?.burst ?? 0,
    maxWaitMs: options?.maxWaitMs ?? 0,
    fullAt: 0,
    pausedUntil: Number.NEGATIVE_INFINITY,
    pauses: 0,
    pausesInARow: 0,
  };
}

/**
 * Returns the earliest time, not before `now`, at which an attempt may be sent that `ahead` others precede.
 * The generic cell rate algorithm (ITU-T I.371): a bucket of tokens that needs one number.
 */
export function sendableAt(rate: Rate, ahead: number, now: number): number {
  const { tokenMs, burst, fullAt, pausedUntil } = rate;
  const from = Math.max(pausedUntil, now);
  if (tokenMs === 0) return from;
  const at = Math.max(fullAt, from) + (ahead - burst + 1) * tokenMs;
  return Math.max(at, from);
}

/** Takes a token for an attempt that is sent. */
export function takeToken(rate: Rate, now: number): void {
  if (rate.tokenMs !== 0) rate.fullAt = Math.max(rate.fullAt, now) + rate.tokenMs;
}

/** Tokens in the bucket; Infinity without a rate. */
export function tokensOf({ tokenMs, burst, fullAt }: Rate, now: number): number {
  if (tokenMs === 0) return Number.POSITIVE_INFINITY;
  return burst - Math.max(0, fullAt - now) / tokenMs;
}

/**
 * Pauses as an upstream asks it: for `retryAfterMs`, else for a second, doubled up to a minute while no success comes
 * between. `seen` is `rate.pauses` when the attempt was sent. Returns true if the pause is new or longer.
 */
export function pause(
  rate: Rate,
  seen: number,
  retryAfterMs: number | undefined,
  now: number,
): boolean {
  // Attempts that were in flight together are refused together: one event.
  const isKnown = seen !== rate.pauses;
  if (isKnown && retryAfterMs === undefined) return false;
  const ms =
    retryAfterMs ??
    Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(rate.pausesInARow, 6));
  const until = now + ms;
  if (!isKnown) {
    rate.pauses += 1;
    rate.pausesInARow += 1;
  }
  if (until <= rate.pausedUntil) return false;
  rate.pausedUntil = until;
  return true;
}

/** Takes note of a success: the next pause is a first one. */
export function endPauses(rate: Rate, seen: number): void {
  if (seen === rate.pauses) rate.pausesInARow = 0;
}
