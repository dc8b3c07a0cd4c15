import { describeValue } from '@ticketing/kit';

/**
 * Meaning of an attempt's end for the guard. `success`: the upstream answered, be it with an error. `failure`: it did not.
 * `throttled`: it asks for fewer calls. `ignored`: the end has no bearing on the upstream.
 */
export type Outcome = 'success' | 'failure' | 'throttled' | 'ignored';

/** An outcome with its details. */
export interface Verdict {
  readonly outcome: Outcome;
  /** True if the same call may succeed now. Default: `error.retryable`, else true for a failure or a throttled call. */
  readonly retryable?: boolean | undefined;
  /** Milliseconds that the upstream asked to wait. Default: `error.retryAfterMs`, else that of `error.data`. */
  readonly retryAfterMs?: number | undefined;
}

/** A verdict whose details are filled. */
export interface FullVerdict {
  readonly outcome: Outcome;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
}

/** Names and codes by which the end of a time is recognised. */
const TIMEOUTS: ReadonlySet<unknown> = new Set([
  'TimeoutError',
  'TIMEOUT',
  'ERR_TIMEOUT',
  'ETIMEDOUT',
]);
const RATE_LIMITS: ReadonlySet<unknown> = new Set(['RATE_LIMITED', 'ERR_RATE_LIMITED']);

/** True for an error that reports the end of a time, by its name or its code. */
export function isTimeout(error: unknown): boolean {
  return TIMEOUTS.has(fieldOf(error, 'name')) || TIMEOUTS.has(fieldOf(error, 'code'));
}

/** True for a refusal of another guard, of this copy of the package or of another one. */
function isRefusal(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    Symbol.for('ticketing.resilience.GuardError') in error &&
    !isTimeout(error)
  );
}

/**
 * Returns the outcome of an error: ignored for an AbortError or the refusal of another guard, throttled for a status of 429
 * or the code RATE_LIMITED, else a failure.
 */
export function classifyError(error: unknown): Outcome {
  if (isTimeout(error)) return 'failure';
  if (fieldOf(error, 'name') === 'AbortError' || isRefusal(error)) return 'ignored';
  if (RATE_LIMITS.has(fieldOf(error, 'code'))) return 'throttled';
  for (const field of ['status', 'statusCode', 'httpStatus']) {
    if (fieldOf(error, field) === 429) return 'throttled';
  }
  return 'failure';
}

const OUTCOMES: ReadonlySet<unknown> = new Set(['success', 'failure', 'throttled', 'ignored']);

/**
 * Returns the verdict on an error, with its details.
 *
 * @throws TypeError for a value of `classify` that is no outcome
 */
export function verdictOn(
  error: unknown,
  classify: (error: unknown) => Outcome | Verdict,
): FullVerdict {
  const verdict = classify(error);
  const outcome = (typeof verdict === 'object' ? fieldOf(verdict, 'outcome') : verdict) as Outcome;
  if (!OUTCOMES.has(outcome)) {
    throw new TypeError(
      `Cannot classify an error: \`classify\` must return success, failure, throttled or ignored, got ${describeValue(verdict)}`,
      { cause: error },
    );
  }
  const { retryable, retryAfterMs } = (typeof verdict === 'object' ? verdict : {}) as Verdict;
  const canRetry = outcome === 'failure' || outcome === 'throttled';
  return {
    outcome,
    retryable: canRetry && (retryable ?? fieldOf(error, 'retryable') !== false),
    retryAfterMs:
      positive(retryAfterMs) ??
      positive(fieldOf(error, 'retryAfterMs')) ??
      positive(fieldOf(fieldOf(error, 'data'), 'retryAfterMs')),
  };
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

/** Reads a field of any value; undefined if it has none, or if reading it throws. */
function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}
