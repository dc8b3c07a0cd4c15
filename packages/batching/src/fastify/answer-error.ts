import { BatchingError } from '../errors.ts';

/**
 * Makes a failure of the coalescer one that Fastify answers by its status: 504 at `loadTimeoutMs`, 503 above
 * a bound and after the close. A new error each time, since several requests may have met the same one.
 */
export function answerError(error: unknown): unknown {
  if (!BatchingError.is(error)) return error;
  const { code, message, data } = error;
  const statusCode = code === 'ERR_LOAD_TIMEOUT' ? 504 : 503;
  return Object.assign(new BatchingError(code, message, { data, cause: error }), { statusCode });
}
