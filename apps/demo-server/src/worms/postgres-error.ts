import { WormError, type WormErrorCode } from './worm-error.ts';

// PostgreSQL 17, appendix A: error codes, of which the first two characters are the class.
const byState: readonly (readonly [state: RegExp, code: WormErrorCode])[] = [
  // query_canceled, by the statement timeout
  [/^57014$/, 'ERR_DATABASE_TIMEOUT'],
  // connection exception; admin_shutdown, crash_shutdown, cannot_connect_now
  [/^(?:08...|57P0[123])$/, 'ERR_DATABASE_UNAVAILABLE'],
  // insufficient resources, too_many_connections among them
  [/^53...$/, 'ERR_DATABASE_BUSY'],
  [/^[0-9A-Z]{5}$/, 'ERR_DATABASE_FAILED'],
];

/** Sorts what the driver throws. What has no code of the database's is of the connection. */
export function postgresError(cause: unknown): WormError {
  const { message, code: state } = cause as { message?: string; code?: string };
  const [, code = 'ERR_DATABASE_UNAVAILABLE'] =
    byState.find(([pattern]) => pattern.test(state ?? '')) ?? [];
  return new WormError(
    code,
    `Cannot find worms: an answer of PostgreSQL expected, got ${message || state}`,
    { cause },
  );
}
