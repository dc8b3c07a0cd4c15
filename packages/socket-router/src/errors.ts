const mark = Symbol.for('ticketing.socket-router.RouterError');

/** Stable codes of {@link RouterError}. */
export type RouterErrorCode = 'ERR_SOCKET_PATH' | 'ERR_STATE';

/** What was found: a router's state, or the folder for unix sockets. */
export interface RouterErrorData {
  readonly state?: string;
  readonly folder?: string;
}

/** An operation of a router that failed; wrong use is a TypeError or RangeError instead. `code` is stable, `message` is not. */
export class RouterError extends Error {
  static {
    Object.defineProperty(RouterError.prototype, 'name', { value: 'RouterError' });
    Object.defineProperty(RouterError.prototype, mark, { value: true });
  }
  readonly code: RouterErrorCode;
  readonly data: RouterErrorData;
  constructor(
    code: RouterErrorCode,
    message: string,
    options: { readonly data: RouterErrorData; readonly cause?: unknown },
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.data = options.data;
  }
  /** Recognises an error of this class, also of another copy of this package. */
  static is(error: unknown): error is RouterError {
    return typeof error === 'object' && error !== null && mark in error;
  }
}
