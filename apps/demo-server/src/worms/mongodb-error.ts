import { WormError, type WormErrorCode } from './worm-error.ts';

/** The server's code of a command that met its `maxTimeMS`. */
const MAX_TIME_EXPIRED = 50;

const byName: Readonly<Record<string, WormErrorCode>> = {
  MongoOperationTimeoutError: 'ERR_DATABASE_TIMEOUT',
  MongoWaitQueueTimeoutError: 'ERR_DATABASE_BUSY',
  MongoServerError: 'ERR_DATABASE_FAILED',
};

/** Sorts what the driver throws. All that is not said by the server is of the connection. */
export function mongodbError(cause: unknown): WormError {
  const { name, message, code: number } = cause as Error & { code?: unknown };
  const code =
    number === MAX_TIME_EXPIRED
      ? 'ERR_DATABASE_TIMEOUT'
      : (byName[name] ?? 'ERR_DATABASE_UNAVAILABLE');
  return new WormError(code, `Cannot find worms: an answer of MongoDB expected, got ${message}`, {
    cause,
  });
}
