import { CarrierError, type CarrierErrorCode } from '@ticketing/core';

const codeByStatus: ReadonlyMap<number, CarrierErrorCode> = new Map([
  [400, 'BAD_REQUEST'],
  [401, 'AUTH'],
  [403, 'AUTH'],
  [422, 'BAD_REQUEST'],
  [429, 'RATE_LIMITED'],
  [503, 'OVERLOADED'],
]);

const NETWORK_FAULTS = /^(UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED|E[A-Z_]+)$/;
const PROTOCOL_FAULTS = /^(HPE_|UND_ERR_(RES|HEADERS_OVERFLOW))/;

/** Returns the error for an answer with status 400 or more. */
export function statusError(
  carrier: string,
  httpStatus: number,
  retryAfterMs: number | undefined,
): CarrierError {
  return new CarrierError(
    codeByStatus.get(httpStatus) ?? 'HTTP',
    `Cannot ask \`${carrier}\`: it answered with status ${httpStatus}`,
    {
      httpStatus,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(httpStatus >= 500 ? { retryable: true } : {}),
    },
  );
}

/** Returns what the HTTP client threw as a CarrierError; a CarrierError is returned as it is. */
export function transportError(carrier: string, error: unknown): CarrierError {
  if (CarrierError.is(error)) return error;
  const { name, code: httpCode } = Object(error) as { name?: unknown; code?: unknown };
  const code = typeof httpCode === 'string' ? httpCode : '';
  const failure = (kind: CarrierErrorCode): CarrierError =>
    new CarrierError(kind, `Cannot ask \`${carrier}\`: the request failed with ${code || name}`, {
      cause: error,
    });
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return failure('TIMEOUT');
  if (PROTOCOL_FAULTS.test(code) || name === 'HTTPParserError') return failure('PROTOCOL');
  if (NETWORK_FAULTS.test(code)) return failure('NETWORK');
  return CarrierError.from(error);
}
