import { CarrierError, type CarrierErrorCode } from '@ticketing/core';
import { show } from '../wire/wire-reader.ts';

const codeByStatus: ReadonlyMap<number, CarrierErrorCode> = new Map([
  [400, 'BAD_REQUEST'],
  [401, 'AUTH'],
  [403, 'AUTH'],
  [422, 'BAD_REQUEST'],
  [429, 'RATE_LIMITED'],
  [503, 'OVERLOADED'],
]);

const TIMEOUTS = /^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/;
const NETWORK_FAULTS = /^(UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED|E[A-Z_]+)$/;
const PROTOCOL_FAULTS = /^(HPE_|UND_ERR_(RES|HEADERS_OVERFLOW))/;

/** Makes the error of an answer whose status is 400 or more. */
export function statusError(
  carrier: string,
  httpStatus: number,
  retryAfterMs: number | undefined,
): CarrierError {
  return new CarrierError(
    codeByStatus.get(httpStatus) ?? 'HTTP',
    `Cannot ask ${carrier}: a status below 400 expected, got ${httpStatus}`,
    {
      httpStatus,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(httpStatus >= 500 ? { retryable: true } : {}),
    },
  );
}

/** Makes a CarrierError of whatever the HTTP client threw; the reason of an abort stays what it is. */
export function transportError(carrier: string, error: unknown): CarrierError {
  if (CarrierError.is(error)) return error;
  const { name, code: given } = Object(error) as { name?: unknown; code?: unknown };
  const code = typeof given === 'string' ? given : '';
  const got = code || showError(error);
  const options = { cause: error };
  const make = (kind: CarrierErrorCode): CarrierError =>
    new CarrierError(kind, `Cannot ask ${carrier}: an answer expected, got ${got}`, options);
  if (TIMEOUTS.test(code)) return make('TIMEOUT');
  if (PROTOCOL_FAULTS.test(code) || name === 'HTTPParserError') return make('PROTOCOL');
  if (NETWORK_FAULTS.test(code)) return make('NETWORK');
  return CarrierError.from(error);
}

/** `Error: message`, or whatever was thrown; the reason of an abort may be any value. */
function showError(error: unknown): string {
  return error instanceof Error ? `${error}` : show(error);
}

/** Reads `Retry-After` (RFC 9110, 10.2.3): seconds, or a date. */
export function readRetryAfter(value: unknown, nowMs: number): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
