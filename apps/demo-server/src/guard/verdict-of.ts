import { CarrierError, type CarrierErrorCode } from '@ticketing/core';
import { DispatchError } from '@ticketing/dispatch';
import type { Verdict } from '@ticketing/resilience';

/** Errors by which a carrier answers the question: it works. */
const ANSWERS: ReadonlySet<CarrierErrorCode> = new Set([
  'NO_RESULTS',
  'NOT_SERVED',
  'DATE_OUT_OF_RANGE',
  'BAD_REQUEST',
]);
/** Errors that do not come from the carrier: the caller left, or a dispatcher does not take the call. */
const NOT_ITS_OWN: ReadonlySet<CarrierErrorCode> = new Set(['ABORTED', 'CIRCUIT_OPEN']);
/** Errors of a dispatcher that show a late carrier. All others are about workers. */
const LATE: ReadonlySet<string> = new Set(['ERR_TIMEOUT', 'ERR_RUN_TIMEOUT']);

/** A call whose time ran out while a fleet had no host never reached the carrier. */
function isLate({ code, cause }: DispatchError): boolean {
  return LATE.has(code) && Object(cause).code !== 'ERR_NO_HOST';
}

/**
 * Returns what an error shows of the carrier. Errors of a dispatcher about its workers show nothing of it; a status below 500 without a
 * code of its own is an answer. A wall (`AUTH`) and a wrong answer (`PROTOCOL`) are failures, which are not retried.
 */
export function verdictOf(error: unknown): Verdict {
  if (DispatchError.is(error)) return { outcome: isLate(error) ? 'failure' : 'ignored' };
  const { code, retryable, retryAfterMs, httpStatus = 500 } = CarrierError.from(error);
  if (NOT_ITS_OWN.has(code)) return { outcome: 'ignored' };
  if (ANSWERS.has(code) || (code === 'HTTP' && httpStatus < 500)) return { outcome: 'success' };
  // A pause is the carrier's, so the call is not repeated within it.
  if (code === 'RATE_LIMITED') {
    return { outcome: 'throttled', ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  // Whoever was asked to wait does not ask again within one search.
  return { outcome: 'failure', retryable: retryable && retryAfterMs === undefined };
}
