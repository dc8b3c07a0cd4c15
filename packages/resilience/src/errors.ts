import { CodedError, isMarked, mark } from '@ticketing/kit';

const MARK = 'ticketing.resilience.GuardError';

/** Stable codes of {@link GuardError}. */
export type GuardErrorCode =
  | 'ERR_ATTEMPT_TIMEOUT'
  | 'ERR_CIRCUIT_OPEN'
  | 'ERR_CLOSED'
  | 'ERR_OVERLOADED'
  | 'ERR_RATE_LIMITED'
  | 'ERR_TIMEOUT';

/** The guard, and the bound that was reached. */
export interface GuardErrorData {
  /** Name of the guard. */
  readonly name: string;
  /** Milliseconds after which a call may be let through; absent where a later call meets the same end. */
  readonly retryAfterMs?: number;
  /** Value of the option that was reached. */
  readonly limit?: number;
}

/** Thrown for a call that a guard refused or ended itself. `code` is stable, `message` is not. */
export class GuardError extends CodedError<GuardErrorCode, GuardErrorData> {
  static {
    mark(GuardError, MARK);
  }
  constructor(
    code: GuardErrorCode,
    message: string,
    options: { readonly data: GuardErrorData; readonly cause?: unknown },
  ) {
    super(code, message, options);
    // By this name other libraries recognise the end of a time, as that of `AbortSignal.timeout`.
    if (isTimeoutCode(code)) {
      Object.defineProperty(this, 'name', { value: 'TimeoutError', configurable: true });
    }
  }
  /** Recognises an error of this class, also of another copy of this package. */
  static is(error: unknown): error is GuardError {
    return isMarked(error, MARK);
  }
}

function isTimeoutCode(code: GuardErrorCode): boolean {
  return code === 'ERR_TIMEOUT' || code === 'ERR_ATTEMPT_TIMEOUT';
}

export function circuitOpen(name: string, retryAfterMs: number): GuardError {
  return new GuardError(
    'ERR_CIRCUIT_OPEN',
    `Guard \`${name}\` sends no calls: too many failed; retry after ${retryAfterMs} ms, or change \`circuit\``,
    { data: { name, retryAfterMs } },
  );
}

export function paused(name: string, retryAfterMs: number): GuardError {
  return new GuardError(
    'ERR_RATE_LIMITED',
    `Guard \`${name}\` pauses: the upstream asked for fewer calls; retry after ${retryAfterMs} ms, or raise \`rate.maxWaitMs\``,
    { data: { name, retryAfterMs } },
  );
}

export function rateLimited(name: string, retryAfterMs: number, perSecond: number): GuardError {
  return new GuardError(
    'ERR_RATE_LIMITED',
    `Guard \`${name}\` has no token left of \`rate.perSecond\` (${perSecond}): retry after ${retryAfterMs} ms, or raise \`rate.maxWaitMs\``,
    { data: { name, retryAfterMs, limit: perSecond } },
  );
}

export function overloaded(name: string, retryAfterMs: number, limit: number): GuardError {
  return new GuardError(
    'ERR_OVERLOADED',
    `Guard \`${name}\` has ${limit} attempts in flight: retry after ${retryAfterMs} ms, or raise \`concurrency.maxQueued\``,
    { data: { name, retryAfterMs, limit } },
  );
}

export function attemptTimedOut(name: string, limit: number): GuardError {
  return new GuardError(
    'ERR_ATTEMPT_TIMEOUT',
    `An attempt of guard \`${name}\` did not settle within \`attemptTimeoutMs\` (${limit} ms)`,
    { data: { name, limit } },
  );
}

export function timedOut(name: string, cause: unknown): GuardError {
  return new GuardError(
    'ERR_TIMEOUT',
    `A call of guard \`${name}\` did not settle by its \`deadline\``,
    {
      data: { name },
      ...(cause !== undefined && { cause }),
    },
  );
}

export function guardClosed(name: string): GuardError {
  return new GuardError('ERR_CLOSED', `Guard \`${name}\` is closed`, { data: { name } });
}
