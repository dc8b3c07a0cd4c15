import { FlagError, hideSecretsOf } from '@ticketing/cli-kit';

/** HTTP status of each failure of a database. */
const statuses = {
  /** No answer within the deadline. */
  ERR_DATABASE_TIMEOUT: 504,
  /** No connection, or a lost one. */
  ERR_DATABASE_UNAVAILABLE: 502,
  /** An answer that reports a failure. */
  ERR_DATABASE_FAILED: 502,
  /** No free connection, and too many questions that wait for one. */
  ERR_DATABASE_BUSY: 503,
} as const;

export type WormErrorCode = keyof typeof statuses;

/** A question that the store could not answer. `code` is stable; `message` is not, and has no secrets. */
export class WormError extends Error {
  override readonly name = 'WormError';
  readonly code: WormErrorCode;
  constructor(code: WormErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
  /** True for an error with a code of this class, which may come from another process. */
  static is(error: unknown): error is WormError {
    return Object.hasOwn(statuses, String(Object(error).code));
  }
  static statusOf({ code }: WormError): 502 | 503 | 504 {
    return statuses[code];
  }
}

/** Makes the error for a database that cannot be used: one line, without secrets. */
export function databaseRefused(error: unknown, url: string): FlagError {
  const shown = hideSecretsOf(url, reasonOf(error)).replace(/\s+/g, ' ').trim();
  return new FlagError(
    `Cannot start: --database-url must be a database that can be filled, got ${shown}`,
  );
}

/** A host with several addresses fails with one error per address, and no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const { message, code, name } = error as Error & { code?: unknown };
  return message || String(code ?? name);
}
