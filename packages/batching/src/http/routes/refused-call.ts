import { BatchingError } from '../../errors.ts';

/** Of 503: seconds that a client should wait. */
export const RETRY_HEADERS = { 'retry-after': '1' };

/**
 * Makes a new error of a failure of the coalescer, which frameworks answer by its `statusCode` and `headers`: several requests may
 * have met the same one. With 503 the client is asked to wait.
 */
export function refusedCall(error: unknown): unknown {
  if (!BatchingError.is(error)) return error;
  const { code, message, data, statusCode } = error;
  const refused = new BatchingError(code, message, { data, cause: error });
  return statusCode === 503 ? Object.assign(refused, { headers: RETRY_HEADERS }) : refused;
}
