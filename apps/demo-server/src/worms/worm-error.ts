/** What can be wrong with the database, and the status that its clients get. */
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

/** A question that the store could not answer. `code` is stable, `message` is not; it has no secrets. */
export class WormError extends Error {
  override readonly name = 'WormError';
  readonly code: WormErrorCode;
  constructor(code: WormErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
  /** Recognises one by its code, since it may come from another process. */
  static is(error: unknown): error is WormError {
    return Object.hasOwn(statuses, String(Object(error).code));
  }
  static statusOf({ code }: WormError): 502 | 503 | 504 {
    return statuses[code];
  }
}
