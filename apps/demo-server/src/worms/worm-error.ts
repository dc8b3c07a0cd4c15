import { FlagError, hideSecretsOf } from '@ticketing/cli-kit';

/** What can be wrong with a database, and the HTTP status of each. */
const statuses = {
  /** It did not answer within the deadline. */
  ERR_DATABASE_TIMEOUT: 504,
  /** It cannot be reached, or the connection was lost. */
  ERR_DATABASE_UNAVAILABLE: 502,
  /** It answered that it failed. */
  ERR_DATABASE_FAILED: 502,
  /** It takes no more connections, or too many questions wait for one. */
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
  /** Whether it has a code of this class: the error may come from another process. */
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
